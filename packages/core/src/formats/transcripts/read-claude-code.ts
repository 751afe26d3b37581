import { isRecord, type JsonRecord, type ReadEntries, timeOf } from "./transcript.ts";

/** Lines a Claude Code session file has for messages; all others are about the program itself. */
const speaking: ReadonlySet<unknown> = new Set(["user", "assistant"]);

export function isClaudeCode(entries: readonly unknown[]): boolean {
  const known = entries.filter((entry) => isRecord(entry) && typeof entry.type === "string" && "uuid" in entry);
  return known.some((entry) => speaking.has((entry as JsonRecord).type) && isRecord((entry as JsonRecord).message));
}

/**
 * Claude Code session files: one line per content block, joined by the message id they share; side conversations of
 * sub-agents and notes of the program to itself are left out.
 */
export function readClaudeCode(entries: readonly unknown[]): ReadEntries {
  const wire: Record<string, unknown>[] = [];
  const times: (number | undefined)[] = [];
  let skipped = 0;
  let title: string | undefined;
  let model: string | undefined;
  let lastId: unknown;
  for (const entry of entries) {
    if (!isRecord(entry)) {
      skipped++;
      continue;
    }
    if (entry.type === "summary" && typeof entry.summary === "string") title ??= entry.summary;
    const { message } = entry;
    if (!speaking.has(entry.type) || !isRecord(message) || entry.isSidechain === true || entry.isMeta === true) {
      skipped++;
      continue;
    }
    if (typeof message.model === "string" && !message.model.startsWith("<")) model = message.model;
    const last = wire.at(-1);
    const sameMessage = message.id !== undefined && message.id === lastId;
    if (sameMessage && last !== undefined && Array.isArray(last.content) && Array.isArray(message.content)) {
      last.content = [...last.content, ...message.content];
      continue;
    }
    lastId = message.id;
    wire.push({ role: message.role ?? entry.type, content: message.content ?? "" });
    times.push(timeOf(entry.timestamp));
  }
  return { wire, times, skipped, title, model };
}
