/** A JSON object off the wire whose fields nobody has checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value when it is a string, else undefined: absent fields are often `null`. */
export function textField(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** The value when it is a usable number, else undefined. */
export function numberField(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** A copy without the fields that are undefined, so that optional fields can be written in one literal. */
export function compact<TFields extends Record<string, unknown>>(fields: TFields): Compact<TFields> {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    const value = fields[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept as Compact<TFields>;
}

type Compact<TFields> = {
  [name in keyof TFields as IsOptional<TFields[name]> extends true ? never : name]: TFields[name];
} & {
  [name in keyof TFields as IsOptional<TFields[name]> extends true ? name : never]?: Exclude<TFields[name], undefined>;
};

type IsOptional<TValue> = unknown extends TValue ? false : undefined extends TValue ? true : false;
