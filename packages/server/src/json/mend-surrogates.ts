const highEscape = /^d[89ab]/i;
const surrogateEscape = /^d[89a-f]/i;
const marks = [Buffer.from("\\ud"), Buffer.from("\\uD")];

/**
 * Half characters, written as `\ud83d` without the other half, are valid JSON but no valid text: providers refuse them,
 * and a conversation that holds one is refused for ever after. Each becomes `\ufffd`, which is as long, so that every
 * other byte stays where it is. Returns the same bytes when there is nothing to mend.
 */
export function mendSurrogates(bytes: Uint8Array): Uint8Array {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (!marks.some((mark) => view.includes(mark))) return bytes;
  let mended: Buffer | undefined;
  // Latin-1 keeps one character per byte; escapes are ASCII.
  const text = view.toString("latin1");
  const escapes = /\\(?:u([0-9a-f]{4})|[\s\S])/gi;
  for (let match = escapes.exec(text); match !== null; match = escapes.exec(text)) {
    const code = match[1];
    if (code === undefined || !surrogateEscape.test(code)) continue;
    const next = text.slice(escapes.lastIndex, escapes.lastIndex + 6);
    if (highEscape.test(code) && /^\\ud[c-f][0-9a-f]{2}$/i.test(next)) {
      escapes.lastIndex += 6;
      continue;
    }
    mended ??= Buffer.from(view);
    mended.write("fffd", match.index + 2, "latin1");
  }
  return mended ?? bytes;
}
