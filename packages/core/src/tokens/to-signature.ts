import type { ToolDefinition } from "../message/message.ts";

/** How deep a schema is followed: a schema that refers to itself, or means harm, ends here. */
const maxDepth = 16;

interface Schema {
  readonly type?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly items?: unknown;
  readonly enum?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly default?: unknown;
}

/**
 * A tool as OpenAI's models are shown it: a TypeScript type with the descriptions as comments. Only its length in
 * tokens matters here, so what is rare (formats, patterns, bounds) goes in as JSON.
 */
export function toSignature(tool: ToolDefinition): string {
  const parameters = properties(asSchema(tool.schema), 0);
  const head = comment(tool.description);
  if (parameters === "") return `${head}type ${tool.name} = () => any;\n\n`;
  return `${head}type ${tool.name} = (_: {\n${parameters}}) => any;\n\n`;
}

function properties(schema: Schema, depth: number): string {
  if (!isRecord(schema.properties) || depth > maxDepth) return "";
  const required = Array.isArray(schema.required) ? new Set<unknown>(schema.required) : new Set<unknown>();
  let text = "";
  for (const [name, value] of Object.entries(schema.properties)) {
    const inner = asSchema(value);
    const optional = required.has(name) ? "" : "?";
    const fallback = inner.default === undefined ? "" : ` // default: ${JSON.stringify(inner.default)}`;
    text += `${comment(inner.title)}${comment(inner.description)}${name}${optional}: ${typeOf(inner, depth)},${fallback}\n`;
  }
  return text;
}

function typeOf(schema: Schema, depth: number): string {
  if (depth > maxDepth) return "any";
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices)) return choices.map((choice) => typeOf(asSchema(choice), depth + 1)).join(" | ");
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  switch (schema.type) {
    case "array":
      return `${schema.items === undefined ? "any" : typeOf(asSchema(schema.items), depth + 1)}[]`;
    case "object": {
      const inner = properties(schema, depth + 1);
      return inner === "" ? "object" : `{\n${inner}}`;
    }
    case "integer":
      return "number";
    default:
      return typeof schema.type === "string" ? schema.type : "any";
  }
}

function comment(text: unknown): string {
  if (typeof text !== "string" || text === "") return "";
  return `// ${text.replaceAll("\n", "\n// ")}\n`;
}

const asSchema = (value: unknown): Schema => (isRecord(value) ? value : {});
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
