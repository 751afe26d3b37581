import { isWireObject, type WireObject } from "./wire-object.ts";

/**
 * Whether the caller pinned this wire message: `pinned: true`, or `midfold: { pinned: true }` where a field named
 * `pinned` would be ambiguous. The field stays on the object: Midfold strips nothing from a message it did not change.
 */
export function isPinned(wire: WireObject): boolean {
  if (wire.pinned === true) return true;
  return isWireObject(wire.midfold) && wire.midfold.pinned === true;
}
