import type { Message } from "./message.ts";
import { sameParts } from "./same-parts.ts";

/** Whether two decodings of one wire object say the same. */
export function sameMessage(a: Message, b: Message): boolean {
  return (
    a.role === b.role && a.pinned === b.pinned && a.name === b.name && a.id === b.id && sameParts(a.parts, b.parts)
  );
}
