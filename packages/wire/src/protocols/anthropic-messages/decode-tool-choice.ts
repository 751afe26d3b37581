import type { ToolChoice } from "@midfold/core";
import { isJsonObject, textField } from "../../neutral/json-object.ts";

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
