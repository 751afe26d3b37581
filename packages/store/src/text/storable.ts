import { MidfoldError } from "@midfold/core";

/**
 * PostgreSQL refuses U+0000, SQLite's `length` stops at it, and a lone surrogate makes providers refuse every later
 * request of the session. Both become U+FFFD, so that either database returns exactly what was stored.
 */
export function toStorableText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed();
  return wellFormed.includes("\0") ? wellFormed.replaceAll("\0", "\uFFFD") : wellFormed;
}

/** JSON text of a value with every string in it, keys included, made storable. */
export function toStorableJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new MidfoldError("VALIDATION_ERROR", `A ${typeof value} cannot be stored as JSON.`);
  // `stringify` escapes exactly these characters, so without such an escape there is nothing to replace.
  if (!text.includes("\\u0000") && !text.includes("\\ud")) return text;
  return JSON.stringify(storable(JSON.parse(text)));
}

function storable(value: unknown): unknown {
  if (typeof value === "string") return toStorableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [toStorableText(key), storable(item)]));
}
