const maxDepth = 6;

/** A value that a JSON schema accepts, with the words of the user where text is wanted. */
export function fillSchema(schema: unknown, words: string, depth = 0): unknown {
  if (!isRecord(schema) || depth > maxDepth) return {};
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  for (const union of ["anyOf", "oneOf", "allOf"]) {
    const branches = schema[union];
    if (Array.isArray(branches)) return fillSchema(branches[0], words, depth + 1);
  }
  const declared = schema.type;
  switch (Array.isArray(declared) ? declared[0] : declared) {
    case "string":
      return argumentFrom(words);
    case "integer":
    case "number":
      return Number(/\d+/.exec(words)?.[0] ?? schema.minimum ?? 1);
    case "boolean":
      return false;
    case "null":
      return null;
    case "array":
      return [fillSchema(schema.items, words, depth + 1)];
    default:
      return fillObject(schema, words, depth);
  }
}

function fillObject(schema: Record<string, unknown>, words: string, depth: number): Record<string, unknown> {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : Object.keys(properties).slice(0, 1);
  const filled: [string, unknown][] = [];
  for (const name of required) {
    if (typeof name === "string")
      filled.push([name, fillSchema(properties[name] ?? { type: "string" }, words, depth + 1)]);
  }
  return Object.fromEntries(filled);
}

/** What stands in quotes or back-ticks is most likely meant as the argument. */
function argumentFrom(words: string): string {
  const quoted = /[`"“']([^`"”']{1,400})[`"”']/.exec(words)?.[1];
  return quoted ?? words.split("\n")[0]?.trim().slice(0, 200).toWellFormed() ?? "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
