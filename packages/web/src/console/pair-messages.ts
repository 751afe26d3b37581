/** One line of the diff: a message that stayed, one that went, or one that came. */
export interface PairedMessage {
  readonly fate: "kept" | "removed" | "added";
  readonly message: unknown;
  /** Place among what was received, for those that came in. */
  readonly index: number | null;
}

/** Received against sent. What a fold leaves alone goes out byte for byte, so equal text means the same message. */
export function pairMessages(before: readonly unknown[], after: readonly unknown[]): readonly PairedMessage[] {
  const texts = before.map((message) => JSON.stringify(message));
  const places = new Map<string, number[]>();
  for (const [index, text] of texts.entries()) places.set(text, [...(places.get(text) ?? []), index]);
  const lines: PairedMessage[] = [];
  let next = 0;
  const removeUpTo = (end: number) => {
    for (; next < end; next += 1) lines.push({ fate: "removed", message: before[next], index: next });
  };
  for (const message of after) {
    const index = places.get(JSON.stringify(message))?.find((place) => place >= next);
    if (index === undefined) {
      lines.push({ fate: "added", message, index: null });
      continue;
    }
    removeUpTo(index);
    lines.push({ fate: "kept", message, index });
    next = index + 1;
  }
  removeUpTo(before.length);
  return lines;
}
