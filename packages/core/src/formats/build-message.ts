import type { Message, Role } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { isPinned } from "./is-pinned.ts";
import { stringField, type WireObject } from "./wire-object.ts";

/** A message of the neutral model, with what every format spells the same way: id, name and the pin. */
export function buildMessage(role: Role, parts: readonly Part[], source: WireObject): Message {
  const id = stringField(source, "id");
  const name = stringField(source, "name");
  const pinned = isPinned(source);
  // The plain case first: one object shape for nearly every message keeps decoding of long lists fast.
  if (id === undefined && name === undefined && !pinned) return { role, parts, source };
  return {
    role,
    parts,
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
    ...(pinned ? { pinned } : {}),
    source,
  };
}
