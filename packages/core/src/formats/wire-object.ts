/** A JSON object off the wire whose fields nobody has checked yet. */
export type WireObject = Readonly<Record<string, unknown>>;

export function isWireObject(value: unknown): value is WireObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function asWireObject(value: unknown): WireObject | undefined {
  return isWireObject(value) ? value : undefined;
}

/** The field when it is a string, else undefined: wire fields that are absent are often `null`. */
export function stringField(value: WireObject, field: string): string | undefined {
  const found = value[field];
  return typeof found === "string" ? found : undefined;
}

/** What a value is, for error messages that must not quote content. */
export function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "string") return value.length <= 24 ? `"${value}"` : "a long string";
  return typeof value === "object" ? "an object" : typeof value;
}
