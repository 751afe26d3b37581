import type { Message } from "../message/message.ts";
import type { Speaker } from "./fact.ts";

/** One readable stretch of a message and who it came from. Reasoning is private to the model and left out. */
export interface Segment {
  readonly kind: "text" | "call" | "result";
  readonly by: Speaker;
  readonly text: string;
  /** Tool name, for calls and (where the wire says it) results. */
  readonly name?: string | undefined;
  readonly callId?: string;
  readonly isError?: boolean | undefined;
}

export function segmentsOf(message: Message): Segment[] {
  const by: Speaker = message.role === "assistant" ? "assistant" : message.role === "tool" ? "tool" : "user";
  const segments: Segment[] = [];
  for (const part of message.parts) {
    if (part.type === "text") {
      if (part.text !== "") segments.push({ kind: "text", by, text: part.text });
    } else if (part.type === "file" && part.text !== undefined) {
      segments.push({ kind: "result", by: "tool", text: part.text, name: part.name });
    } else if (part.type === "tool-call") {
      segments.push({ kind: "call", by: "assistant", text: part.input, name: part.name, callId: part.id });
    } else if (part.type === "tool-result") {
      const text = part.content
        .flatMap((inner) => (inner.type === "text" || inner.type === "file" ? inner.text || [] : []))
        .join("\n");
      const { callId, isError, name } = part;
      segments.push({ kind: "result", by: "tool", text, callId, isError, name });
    }
  }
  return segments;
}
