import { isJsonObject } from "../neutral/json-object.ts";

/** Keywords that servers of the OpenAPI subset refuse. */
const unknownThere: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$comment",
  "additionalProperties",
  "unevaluatedProperties",
  "patternProperties",
  "propertyNames",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "examples",
  "const",
]);
const formats: ReadonlySet<unknown> = new Set(["enum", "date-time"]);

/** A tool's schema as the upstream takes it. A tool without one takes no arguments. */
export function fitSchema(schema: unknown, dialect: "full" | "reduced"): unknown {
  if (!isJsonObject(schema)) return { type: "object", properties: {} };
  const typed = "type" in schema || "$ref" in schema || "anyOf" in schema ? schema : { type: "object", ...schema };
  return dialect === "full" ? typed : reduce(typed, false);
}

/** `isNames`: the keys are names of properties, not keywords. */
function reduce(schema: unknown, isNames: boolean): unknown {
  if (Array.isArray(schema)) return schema.map((entry) => reduce(entry, false));
  if (!isJsonObject(schema)) return schema;
  const reduced: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isNames && unknownThere.has(key)) {
      if (key === "const") reduced.enum = [value];
      continue;
    }
    if (!isNames && key === "format" && !formats.has(value)) continue;
    reduced[key] = reduce(value, !isNames && (key === "properties" || key === "$defs" || key === "definitions"));
  }
  return reduced;
}

/** A schema in the form strict mode demands: every property required, nothing else allowed. */
export function strictSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strictSchema);
  if (!isJsonObject(schema)) return schema;
  const strict: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) {
    strict[key] =
      key === "properties" && isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, property]) => [name, strictSchema(property)]))
        : strictSchema(value);
  }
  if (schema.type !== "object" || !isJsonObject(schema.properties)) return strict;
  return { ...strict, additionalProperties: false, required: Object.keys(schema.properties) };
}
