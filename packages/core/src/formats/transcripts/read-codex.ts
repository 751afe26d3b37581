import { isRecord, type ReadEntries, timeOf } from "./transcript.ts";

const envelope: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

export function isCodex(entries: readonly unknown[]): boolean {
  return entries.some((entry) => isRecord(entry) && envelope.has(entry.type) && isRecord(entry.payload));
}

/** Codex session files: the items of the conversation, without the events that repeat them for the screen. */
export function readCodex(entries: readonly unknown[]): ReadEntries {
  const wire: unknown[] = [];
  const times: (number | undefined)[] = [];
  let skipped = 0;
  let model: string | undefined;
  for (const entry of entries) {
    const payload = isRecord(entry) && isRecord(entry.payload) ? entry.payload : undefined;
    if (isRecord(entry) && entry.type === "turn_context" && typeof payload?.model === "string") model = payload.model;
    if (!isRecord(entry) || entry.type !== "response_item" || payload === undefined) {
      skipped++;
      continue;
    }
    wire.push(payload);
    times.push(timeOf(entry.timestamp));
  }
  return { wire, times, skipped, model };
}
