import { MidfoldError } from "../errors/midfold-error.ts";
import type { ToolDefinition } from "../message/message.ts";
import { defined } from "./defined.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "./wire-object.ts";

/**
 * Tools as any SDK spells them: Midfold's own, Anthropic's, OpenAI's for chat and for Responses, Gemini's, MCP's, an AI
 * SDK `ToolSet` (a record by name), LangChain's and Mastra's tool objects.
 */
export type ToolsInput = readonly object[] | Readonly<Record<string, object>>;

/** Tools read once, so that the same list is the same list for whoever remembers counts by it. */
const read = new WeakMap<object, readonly ToolDefinition[]>();

/**
 * Reads tools of any known shape. Throws VALIDATION_ERROR for one it does not know: a tool that is not understood would be
 * counted as next to nothing.
 *
 * @example readTools([{ type: "function", function: { name: "search", parameters: {} } }])[0]?.name; // "search"
 */
export function readTools(tools: ToolsInput): readonly ToolDefinition[] {
  if (typeof tools !== "object" || tools === null) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `tools must be a list or a record of tools, not ${describeValue(tools)}.`,
    );
  }
  const isList = Array.isArray(tools);
  const entries = Object.entries<unknown>(tools as Record<string, unknown>);
  const known = read.get(tools);
  // A caller may have added or exchanged a tool in the same list since.
  if (known?.length === entries.length && known.every((tool, at) => [tool, tool.source].includes(entries[at]![1]))) {
    return known;
  }
  const list = entries.flatMap(([name, tool]) =>
    isList ? readTool(tool, `tools[${name}]`) : readTool(tool, `tools.${name}`, name),
  );
  const each = list.length === entries.length;
  const same = isList && each && list.every((tool, at) => tool === tools[at]);
  const result = same ? (tools as readonly ToolDefinition[]) : list;
  if (each) read.set(tools, result);
  return result;
}

function readTool(tool: unknown, place: string, key?: string): ToolDefinition | ToolDefinition[] {
  if (!isWireObject(tool)) throw refuse(place, `is ${describeValue(tool)}`);
  const { type } = tool;
  if (isWireObject(tool.function)) return named(tool.function, tool.function.parameters, tool, place, key);
  if (isWireObject(tool.custom)) return named(tool.custom, tool.custom.format, tool, place, key);
  if (Array.isArray(tool.functionDeclarations)) {
    return tool.functionDeclarations.map((inner, index) => {
      const at = `${place}.functionDeclarations[${index}]`;
      if (!isWireObject(inner)) throw refuse(at, `is ${describeValue(inner)}`);
      return named(inner, inner.parametersJsonSchema ?? inner.parameters, inner, at);
    });
  }
  if (type === "namespace" && Array.isArray(tool.tools)) {
    return tool.tools.flatMap((inner, index) => readTool(inner, `${place}.tools[${index}]`));
  }
  // Midfold's own shape, and LangChain's tools, whose schema may be one of Zod.
  if (stringField(tool, "name") !== undefined && "schema" in tool) {
    if (isPlain(tool.schema)) return tool as unknown as ToolDefinition;
    return named(tool, tool.schema, tool, place);
  }
  for (const field of ["input_schema", "inputSchema", "parameters"]) {
    if (field in tool) return named(tool, tool[field], tool, place, key);
  }
  // A tool of the provider's own (`web_search_20250305`, `provider`, `file_search`): its wire object is all there is.
  const name = key ?? stringField(tool, "name");
  if (typeof type === "string" && type !== "function") return { name: name ?? type, source: tool };
  // What the tool takes may be in a field that nobody here knows.
  const strange = Object.entries(tool).find(([field, value]) => field !== "source" && isWireObject(value));
  if (strange !== undefined) throw refuse(place, `has its parameters in "${strange[0]}", which Midfold does not know`);
  if (name !== undefined && (typeof tool.description === "string" || key === undefined)) {
    return key === undefined ? (tool as unknown as ToolDefinition) : named(tool, undefined, tool, place, key);
  }
  throw refuse(place, `has ${Object.keys(tool).slice(0, 6).join(", ") || "no fields"}`);
}

function named(fields: WireObject, schema: unknown, source: WireObject, place: string, key?: string): ToolDefinition {
  const name = key ?? stringField(fields, "name") ?? stringField(fields, "id");
  if (name === undefined || name === "") throw refuse(place, "has no name");
  const description = stringField(fields, "description");
  return defined({ name, description, schema: toJsonSchema(schema, place), source });
}

/** JSON Schema out of what SDKs accept in its place: a lazy schema, the AI SDK's wrapper, a Zod or other standard schema. */
function toJsonSchema(schema: unknown, place: string): unknown {
  if (schema === undefined || schema === null) return undefined;
  if (typeof schema === "function" && !("~standard" in schema)) return toJsonSchema(schema(), place);
  if (typeof schema !== "object" && typeof schema !== "function") {
    throw refuse(place, `has a schema that is ${describeValue(schema)}`);
  }
  const fields = schema as Record<string, unknown>;
  if (isWireObject(fields.jsonSchema) && !("then" in fields.jsonSchema)) return fields.jsonSchema;
  const standard = fields["~standard"];
  if (isWireObject(standard) && isWireObject(standard.jsonSchema) && typeof standard.jsonSchema.input === "function") {
    return standard.jsonSchema.input({ target: "draft-07" });
  }
  if (typeof fields.toJSONSchema === "function") return fields.toJSONSchema();
  if (isPlain(schema)) return schema;
  throw refuse(place, "has a schema that does not say what it is as JSON Schema; pass the JSON Schema instead");
}

/** A plain object that is not a schema library's: what a JSON Schema is. */
function isPlain(schema: unknown): boolean {
  if (schema === undefined) return true;
  if (!isWireObject(schema) || "~standard" in schema || "_def" in schema || "then" in schema) return false;
  return typeof schema.jsonSchema !== "object";
}

function refuse(place: string, what: string): MidfoldError {
  return new MidfoldError(
    "VALIDATION_ERROR",
    `${place} ${what}. A tool needs a name and a schema, as OpenAI, Anthropic, the AI SDK, LangChain or MCP write it.`,
    { details: { place } },
  );
}
