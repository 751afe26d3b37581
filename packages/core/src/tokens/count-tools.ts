import { readTools } from "../formats/read-tools.ts";
import type { ToolDefinition } from "../message/message.ts";
import type { ChatRule } from "./families/family.ts";
import { toJsonText } from "./to-json-text.ts";
import type { ToolChoice } from "./tool-choice.ts";

interface Rules {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
}

/** The tokens of the tools offered with a request. */
export function countTools(tools: readonly ToolDefinition[], { count, chat }: Rules): number {
  if (tools.length === 0) return 0;
  const rule = chat.tools;
  let tokens = rule.perList;
  // A caller without types may pass an SDK's tools straight to a counter.
  for (const tool of readTools(tools)) tokens += rule.perTool + count(show(tool, rule.shownAs));
  return tokens;
}

/** What a request's choice among its tools adds to them. */
export function countChoice(choice: ToolChoice | undefined, { count, chat }: Rules): number {
  const rule = chat.tools.choice;
  switch (choice?.type) {
    case "none":
      return rule.none;
    case "required":
      return rule.required;
    case "tool":
      return rule.named + (rule.countsName ? count(choice.name) : 0);
    default:
      return 0;
  }
}

function show(tool: ToolDefinition, as: ChatRule["tools"]["shownAs"]): string {
  // A tool of the provider's own has nothing but its wire object.
  if (tool.schema === undefined && tool.description === undefined && tool.source !== undefined) {
    return toJsonText(tool.source);
  }
  if (as === "typescript") return toSignature(tool);
  return toJsonText({ name: tool.name, description: tool.description, schema: tool.schema });
}

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
function toSignature(tool: ToolDefinition): string {
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
