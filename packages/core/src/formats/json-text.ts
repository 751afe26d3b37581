/** JSON text of a tool's input or output; undefined when the value has none (a cycle, a bigint). */
export function toJsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return undefined;
  }
}

/** A part that no format knows by name: an object goes out as it is, a string as its own text, the rest as JSON text. */
export function encodeOther(value: unknown, toBlock: (text: string) => unknown = asTextBlock): unknown {
  if (typeof value === "object" && value !== null) return value;
  return toBlock(typeof value === "string" ? value : (toJsonText(value) ?? ""));
}

const asTextBlock = (text: string) => ({ type: "text", text });

/** The object a model's argument text stands for; models that write nothing, or not an object, mean no arguments. */
export function fromArgumentText(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  return {};
}

/** The value of JSON text, or the text itself when it is not JSON. */
export function fromJsonText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
