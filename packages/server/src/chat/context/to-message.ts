import type { Message, Part } from "@midfold/core";
import type { MessageRecord } from "@midfold/store";

/** Why a reply ended early is kept with it, as a part that never leaves the server. */
export const endingKind = "midfold-ending";

export function endingPart(reason: string): Part {
  return { type: "other", kind: endingKind, value: reason };
}

export function endingOf(record: MessageRecord): string | null {
  for (const part of record.parts) {
    if (part.type === "other" && part.kind === endingKind) return String(part.value);
  }
  return null;
}

/** A stored message as the engine sees it. */
export function toMessage(record: MessageRecord): Message {
  const own = record.parts.some(isEnding) ? record.parts.filter((part) => !isEnding(part)) : record.parts;
  return {
    id: record.id,
    role: record.role,
    parts: own,
    ...(record.name === undefined ? {} : { name: record.name }),
    ...(record.pinned ? { pinned: true } : {}),
  };
}

/** Whether a model may be shown this message: settled, not hidden, and saying something. */
export function isSendable(record: MessageRecord): boolean {
  if (record.visibility === "person" || record.status === "streaming" || record.status === "failed") return false;
  return record.parts.some((part) => !isEnding(part) && !(part.type === "text" && part.text === ""));
}

function isEnding(part: Part): boolean {
  return part.type === "other" && part.kind === endingKind;
}
