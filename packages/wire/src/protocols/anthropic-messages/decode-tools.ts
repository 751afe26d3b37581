import type { ToolChoice } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../json-object.ts";
import type { NeutralTool } from "../neutral-request.ts";

/** The tools of a request. Tools with a type of their own are the provider's, to run or at least to define. */
export function decodeTools(tools: unknown): NeutralTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.filter(isJsonObject).map(decodeTool);
}

function decodeTool(tool: JsonObject): NeutralTool {
  const isOwn = tool.type === undefined || tool.type === null || tool.type === "custom" || "input_schema" in tool;
  return compact({
    kind: isOwn ? ("function" as const) : ("hosted" as const),
    name: textField(tool.name) ?? textField(tool.type) ?? "",
    description: textField(tool.description),
    schema: tool.input_schema,
    deferred: tool.defer_loading === true ? true : undefined,
    strict: tool.strict === true ? true : undefined,
    source: tool,
  });
}

export function decodeToolChoice(choice: unknown): { toolChoice?: ToolChoice; parallelToolCalls?: boolean } {
  if (!isJsonObject(choice)) return {};
  const parallel = choice.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {};
  switch (choice.type) {
    case "auto":
    case "none":
      return { toolChoice: { type: choice.type }, ...parallel };
    case "any":
      return { toolChoice: { type: "required" }, ...parallel };
    case "tool":
      return { toolChoice: { type: "tool", name: textField(choice.name) ?? "" }, ...parallel };
    default:
      return parallel;
  }
}
