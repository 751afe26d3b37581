import { compact, isJsonObject, type JsonObject, textField } from "../neutral/json-object.ts";
import type { NeutralTool } from "../neutral/neutral-request.ts";

/**
 * The tools of a request, in whichever protocol's shape: the shapes do not overlap, and clients mix them up. A namespace
 * is opened: its tools are called `namespace__name`. Tools with a type of their own are the provider's, to run or at
 * least to define.
 */
export function decodeTools(tools: unknown): NeutralTool[] {
  return Array.isArray(tools) ? tools.filter(isJsonObject).flatMap((tool) => decodeTool(tool)) : [];
}

/** The `functions` of the API before tools. */
export function decodeFunctions(functions: unknown): NeutralTool[] {
  return Array.isArray(functions) ? functions.filter(isJsonObject).map((tool) => named(tool, tool)) : [];
}

function decodeTool(tool: JsonObject, namespace?: string): NeutralTool[] {
  const { type } = tool;
  if (type === "namespace") {
    const inner = Array.isArray(tool.tools) ? tool.tools.filter(isJsonObject) : [];
    return inner.flatMap((entry) => decodeTool(entry, textField(tool.name) ?? ""));
  }
  if (isJsonObject(tool.function)) return [named(tool.function, tool)];
  if (isJsonObject(tool.custom)) return [freeText(tool.custom, tool)];
  // Checked before `type`: Anthropic's own tools may call themselves `custom` and are functions all the same.
  if ("input_schema" in tool || type === undefined || type === null || type === "function") {
    return [named(tool, tool, namespace)];
  }
  if (type === "custom") return [freeText(tool, tool, namespace)];
  return [{ kind: "hosted", name: textField(tool.name) || (textField(type) ?? ""), source: tool }];
}

function named(fields: JsonObject, source: JsonObject, namespace?: string): NeutralTool {
  return compact({
    kind: "function" as const,
    name: nameIn(namespace, fields),
    description: textField(fields.description),
    schema: fields.input_schema ?? fields.parameters,
    deferred: source.defer_loading === true ? true : undefined,
    strict: fields.strict === true ? true : undefined,
    namespace,
    source,
  });
}

function freeText(fields: JsonObject, source: JsonObject, namespace?: string): NeutralTool {
  return compact({
    kind: "custom" as const,
    name: nameIn(namespace, fields),
    description: textField(fields.description),
    deferred: source.defer_loading === true ? true : undefined,
    namespace,
    source,
  });
}

function nameIn(namespace: string | undefined, { name }: JsonObject): string {
  return namespace === undefined ? (textField(name) ?? "") : `${namespace}__${textField(name) ?? ""}`;
}
