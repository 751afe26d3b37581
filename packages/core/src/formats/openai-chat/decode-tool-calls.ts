import type { ToolCallPart } from "../../message/part.ts";
import { toJsonText } from "../json-text.ts";
import type { PartSink } from "../part-sink.ts";
import { describeValue, isWireObject, type WireObject } from "../wire-object.ts";

/** Reads `tool_calls` of an assistant message onto the end of `parts`; a string says what is wrong with them. */
export function decodeToolCalls(calls: unknown, parts: PartSink<ToolCallPart>): string | undefined {
  if (calls === undefined || calls === null) return undefined;
  if (!Array.isArray(calls)) return `tool_calls must be an array, not ${describeValue(calls)}`;
  for (let index = 0; index < calls.length; index++) {
    const call: unknown = calls[index];
    if (!isWireObject(call)) return `tool_calls[${index}] must be an object, not ${describeValue(call)}`;
    if (typeof call.id !== "string") return `tool_calls[${index}] has no id`;
    const part = isWireObject(call.custom)
      ? decodeCall(call, call.id, call.custom, call.custom.input, true)
      : decodeCall(call, call.id, call.function, isWireObject(call.function) ? call.function.arguments : "", false);
    if (part === undefined) return `tool_calls[${index}] has no function name`;
    parts.push(part);
  }
  return undefined;
}

/** The `function_call` of the API before tools. It carries no id, so the caller supplies one. */
export function decodeFunctionCall(call: unknown, id: string): ToolCallPart | undefined {
  return isWireObject(call) ? decodeCall(call, id, call, call.arguments, false) : undefined;
}

function decodeCall(
  source: WireObject,
  id: string,
  named: unknown,
  input: unknown,
  custom: boolean,
): ToolCallPart | undefined {
  if (!isWireObject(named) || typeof named.name !== "string") return undefined;
  // Some servers send the arguments as an object instead of as text.
  const text = typeof input === "string" ? input : input == null ? "" : (toJsonText(input) ?? "");
  const part = { type: "tool-call", id, name: named.name, input: text, source } as const;
  return custom ? { ...part, custom } : part;
}
