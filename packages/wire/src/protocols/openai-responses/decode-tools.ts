import type { ToolChoice } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../json-object.ts";
import type { NeutralTool } from "../neutral-request.ts";

/** The tools of a request. A namespace is opened: its tools are called `namespace__name`. */
export function decodeTools(tools: unknown): NeutralTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).flatMap((tool) => decodeTool(tool));
}

function decodeTool(tool: JsonObject, namespace?: string): NeutralTool[] {
  const name = textField(tool.name) ?? "";
  if (tool.type === "namespace") {
    const inner = Array.isArray(tool.tools) ? tool.tools.filter(isJsonObject) : [];
    return inner.flatMap((entry) => decodeTool(entry, name));
  }
  if (tool.type !== "function" && tool.type !== "custom") {
    return [{ kind: "hosted", name: name || (textField(tool.type) ?? ""), source: tool }];
  }
  return [
    compact({
      kind: tool.type === "custom" ? ("custom" as const) : ("function" as const),
      name: namespace === undefined ? name : `${namespace}__${name}`,
      description: textField(tool.description),
      schema: tool.parameters,
      strict: tool.strict === true ? true : undefined,
      deferred: tool.defer_loading === true ? true : undefined,
      namespace,
      source: tool,
    }),
  ];
}

export function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  if (choice.type === "allowed_tools") return { type: choice.mode === "required" ? "required" : "auto" };
  const name = textField(choice.name);
  return name === undefined ? undefined : { type: "tool", name };
}
