import type { Message, Role } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { isPinned } from "./is-pinned.ts";
import { stringField, type WireObject } from "./wire-object.ts";

/** A message of the neutral model, with what every format spells the same way: id, name, date and the pin. */
export function buildMessage(role: Role, parts: readonly Part[], source: WireObject): Message {
  const id = stringField(source, "id");
  const name = stringField(source, "name");
  const pinned = isPinned(source);
  const at = dateOf(source);
  // The plain case first: one object shape for nearly every message keeps decoding of long lists fast.
  if (id === undefined && name === undefined && at === undefined && !pinned) return { role, parts, source };
  return {
    role,
    parts,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(at === undefined ? {} : { at }),
    ...(pinned ? { pinned } : {}),
    source,
  };
}

/** When the message was said, by the names that programs give to it; a number is in milliseconds. */
function dateOf({ createdAt, created_at: created, timestamp, date }: WireObject): string | undefined {
  const value = createdAt ?? created ?? timestamp ?? date;
  if (value === undefined || value === null) return undefined;
  const time = new Date(value as string | number | Date);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
