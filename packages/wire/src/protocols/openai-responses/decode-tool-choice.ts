import type { ToolChoice } from "@midfold/core";
import { isJsonObject, textField } from "../../neutral/json-object.ts";

export function decodeToolChoice(choice: unknown): ToolChoice | undefined {
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  if (choice.type === "allowed_tools") return { type: choice.mode === "required" ? "required" : "auto" };
  const name = textField(choice.name);
  return name === undefined ? undefined : { type: "tool", name };
}
