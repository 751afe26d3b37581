import type { ReasoningPart } from "../../message/part.ts";
import type { PartSink } from "../decode-blocks.ts";
import { isWireObject, stringField, type WireObject } from "../wire-object.ts";

/** The two spellings OpenAI-compatible servers use for readable reasoning, the more common one first. */
export const reasoningFields = ["reasoning_content", "reasoning"] as const;

/**
 * Reads the reasoning fields of an assistant message. `reasoning_details` wins over the plain fields, because servers
 * that send both repeat the same words in them.
 */
export function decodeReasoning(wire: WireObject, parts: PartSink<ReasoningPart>): void {
  const details = wire.reasoning_details;
  if (Array.isArray(details) && details.length > 0) {
    for (const detail of details) {
      if (isWireObject(detail)) parts.push(decodeDetail(detail));
    }
    return;
  }
  const text = stringField(wire, "reasoning_content") || stringField(wire, "reasoning");
  if (text !== undefined && text !== "") parts.push({ type: "reasoning", text });
}

function decodeDetail(detail: WireObject): ReasoningPart {
  const signature = stringField(detail, "signature");
  const opaque = stringField(detail, "data");
  return {
    type: "reasoning",
    text: stringField(detail, "text") ?? stringField(detail, "summary") ?? "",
    ...(signature === undefined ? {} : { signature }),
    ...(opaque === undefined ? {} : { opaque }),
    source: detail,
  };
}
