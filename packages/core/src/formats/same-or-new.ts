import type { WireObject } from "./wire-object.ts";

/** `source` itself when `wire` says the same with the same blocks, so that an unchanged message keeps its identity. */
export function sameOrNew(source: WireObject | undefined, wire: WireObject): WireObject {
  if (source === undefined) return wire;
  const keys = Object.keys(wire);
  if (keys.length !== Object.keys(source).length) return wire;
  for (const key of keys) {
    if (!isSame(wire[key], source[key])) return wire;
  }
  return source;
}

/** The same value, or a list of the same ones. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
  return left.every((value, index) => value === right[index]);
}
