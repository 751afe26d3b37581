import type { Message, Part } from "@midfold/core";
import type { MessageRecord } from "@midfold/store";

/** Why a reply ended early: stored as a part of it that never leaves the server. */
export const endingKind = "midfold-ending";

export function endingPart(reason: string): Part {
  return { type: "other", kind: endingKind, value: reason };
}

/** What was recalled from folded messages for a reply, stored with it so that later requests send the same text. */
const recalledKind = "midfold-recalled";

export function recalledPart(excerpts: string): Part {
  return { type: "other", kind: recalledKind, value: excerpts };
}

export function recalledOf(record: MessageRecord): string | null {
  return ownWords(record, recalledKind);
}

export function endingOf(record: MessageRecord): string | null {
  return ownWords(record, endingKind);
}

function ownWords(record: MessageRecord, kind: string): string | null {
  for (const part of record.parts) {
    if (part.type === "other" && part.kind === kind) return String(part.value);
  }
  return null;
}

/** A stored message in the engine's form. */
export function toMessage(record: MessageRecord): Message {
  const own = record.parts.some(isOurs) ? record.parts.filter((part) => !isOurs(part)) : record.parts;
  return {
    id: record.id,
    role: record.role,
    parts: own,
    at: new Date(record.createdAt).toISOString(),
    ...(record.name === undefined ? {} : { name: record.name }),
    ...(record.pinned ? { pinned: true } : {}),
  };
}

/** Whether a model may be sent this message: complete, not hidden, and not empty. */
export function isSendable(record: MessageRecord): boolean {
  if (record.visibility === "person" || record.status === "streaming" || record.status === "failed") return false;
  return record.parts.some((part) => !isOurs(part) && !(part.type === "text" && part.text === ""));
}

/** Whether a part is only stored with the message and not part of its content. */
function isOurs(part: Part): boolean {
  return part.type === "other" && (part.kind === endingKind || part.kind === recalledKind);
}
