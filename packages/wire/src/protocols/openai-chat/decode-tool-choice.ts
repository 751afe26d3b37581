import type { ToolChoice } from "@midfold/core";
import { isJsonObject, type JsonObject, textField } from "../../neutral/json-object.ts";

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
