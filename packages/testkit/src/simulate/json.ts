export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The keys that a closed set does not have. */
export const unknownKeys = (value: JsonObject, known: ReadonlySet<string>): string[] =>
  Object.keys(value).filter((key) => !known.has(key));

/** A set of names, written as one text with spaces between them. */
export const namesIn = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
