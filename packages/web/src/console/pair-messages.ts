/** One line of the diff: a message that was kept, removed or added. */
export interface PairedMessage {
  readonly fate: "kept" | "removed" | "added";
  readonly message: unknown;
  /** Index among the received messages; null for added ones. */
  readonly index: number | null;
}

/**
 * Compares received and sent messages. A fold leaves other messages byte for byte the same, so equal text means the
 * same message.
 */
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
