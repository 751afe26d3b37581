import type { Message, Part } from "@midfold/core";

/**
 * The start of the answer, when the client wrote it itself as a last assistant message. White space at its end is cut:
 * providers refuse it, and models write it themselves.
 */
export function takePrefill(messages: readonly Message[]): { messages: Message[]; prefill?: string } {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return { messages: [...messages] };
  const final = last.parts.at(-1);
  if (final?.type !== "text" || last.parts.some((part) => part.type === "tool-call"))
    return { messages: [...messages] };
  const text = final.text.trimEnd();
  const parts: Part[] = [...last.parts.slice(0, -1), ...(text === "" ? [] : [{ type: "text" as const, text }])];
  const before = messages.slice(0, -1);
  if (parts.length === 0) return { messages: before };
  const trimmed = { messages: [...before, { ...last, parts }] };
  return text === "" ? trimmed : { ...trimmed, prefill: text };
}
