import type { ToolChoice } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../json-object.ts";
import type { NeutralTool } from "../neutral-request.ts";

/** The tools of a request, and the `functions` of the API before tools. */
export function decodeTools(body: JsonObject): NeutralTool[] {
  const tools = Array.isArray(body.tools) ? body.tools.filter(isJsonObject).map(decodeTool) : [];
  const legacy = Array.isArray(body.functions) ? body.functions.filter(isJsonObject) : [];
  return [...tools, ...legacy.map((tool) => decodeFunction(tool, tool))];
}

function decodeTool(tool: JsonObject): NeutralTool {
  if (isJsonObject(tool.function)) return decodeFunction(tool.function, tool);
  const custom = tool.custom;
  if (isJsonObject(custom)) {
    const name = textField(custom.name) ?? "";
    return compact({ kind: "custom" as const, name, description: textField(custom.description), source: tool });
  }
  return { kind: "hosted", name: textField(tool.name) ?? textField(tool.type) ?? "", source: tool };
}

function decodeFunction(named: JsonObject, source: JsonObject): NeutralTool {
  return compact({
    kind: "function" as const,
    name: textField(named.name) ?? "",
    description: textField(named.description),
    schema: named.parameters,
    strict: named.strict === true ? true : undefined,
    source,
  });
}

export function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body.tool_choice ?? body.function_call;
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  if (choice.type === "allowed_tools") {
    const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    return { type: allowed.mode === "required" ? "required" : "auto" };
  }
  const named = choice.function ?? choice.custom ?? choice;
  const name = isJsonObject(named) ? textField(named.name) : undefined;
  return name === undefined ? undefined : { type: "tool", name };
}
