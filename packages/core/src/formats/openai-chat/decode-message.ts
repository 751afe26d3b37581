import type { Message } from "../../message/message.ts";
import type { OtherPart, Part, ToolResultPart } from "../../message/part.ts";
import { buildMessage } from "../build-message.ts";
import { describeValue, type WireObject } from "../wire-object.ts";
import { type ContentPart, decodeContent } from "./decode-content.ts";
import { decodeReasoning } from "./decode-reasoning.ts";
import { decodeFunctionCall, decodeToolCalls } from "./decode-tool-calls.ts";

/** How many calls without an id have been seen: the n-th `function` message answers the n-th `function_call`. */
export interface LegacyCalls {
  calls: number;
}

/** Goes on counting behind these messages; they are looked through only if such a call ever comes. */
export function legacyCallsAfter(messages: readonly Message[]): LegacyCalls {
  let calls: number | undefined;
  return {
    get calls() {
      calls ??= messages.filter(({ source }) => ((source as WireObject).function_call ?? null) !== null).length;
      return calls;
    },
    set calls(count) {
      calls = count;
    },
  };
}

export function decodeMessage(wire: WireObject, legacy: LegacyCalls): Message | string {
  switch (wire.role) {
    case "user":
    case "system":
    case "developer":
      return decodePlain(wire, wire.role === "user" ? "user" : "system");
    case "assistant":
      return decodeAssistant(wire, legacy);
    case "tool":
      if (typeof wire.tool_call_id !== "string") return 'a message with role "tool" needs a tool_call_id';
      return decodeResult(wire, wire.tool_call_id);
    case "function":
      return decodeResult(wire, legacyId(legacy.calls));
    case undefined:
      return "has no role";
    default:
      return `role must be system, developer, user, assistant, tool or function, not ${describeValue(wire.role)}`;
  }
}

function decodePlain(wire: WireObject, role: "user" | "system"): Message | string {
  if (wire.content === undefined) return "has no content";
  const parts: Part[] = [];
  return decodeContent(wire.content, parts) ?? buildMessage(role, parts, wire);
}

function decodeAssistant(wire: WireObject, legacy: LegacyCalls): Message | string {
  const parts: Part[] = [];
  decodeReasoning(wire, parts);
  const wrong = decodeContent(wire.content, parts);
  if (wrong !== undefined) return wrong;
  if (typeof wire.refusal === "string") {
    parts.push({ type: "other", kind: "refusal", value: wire.refusal } satisfies OtherPart);
  }
  const wrongCalls = decodeToolCalls(wire.tool_calls, parts);
  if (wrongCalls !== undefined) return wrongCalls;
  if (wire.function_call !== undefined && wire.function_call !== null) {
    const call = decodeFunctionCall(wire.function_call, legacyId(legacy.calls + 1));
    if (call === undefined) return "function_call has no name";
    legacy.calls++;
    parts.push(call);
  }
  return buildMessage("assistant", parts, wire);
}

function decodeResult(wire: WireObject, callId: string): Message | string {
  const content: ContentPart[] = [];
  const wrong = decodeContent(wire.content, content);
  if (wrong !== undefined) return wrong;
  const result: ToolResultPart = { type: "tool-result", callId, content };
  if (typeof wire.name === "string") return buildMessage("tool", [{ ...result, name: wire.name }], wire);
  return buildMessage("tool", [result], wire);
}

function legacyId(count: number): string {
  return `function_call_${count}`;
}
