import type { Part, ReasoningPart, ToolCallPart } from "../../message/part.ts";
import { toJsonText } from "../json-text.ts";
import { isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { decodeMedia } from "./decode-media.ts";
import { decodeOutput } from "./decode-result.ts";

/** One part of a model message; `inAssistant` says whether a tool result here was produced by the provider. */
export function decodePart(block: WireObject, type: string, inAssistant: boolean): Part | string {
  switch (type) {
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, source: block } : "has no text";
    case "image":
      return decodeMedia(block, block.image, true);
    case "file":
    case "reasoning-file":
      return decodeMedia(block, block.data ?? block.url, false);
    case "reasoning":
    case "redacted-reasoning":
      return decodeReasoning(block);
    case "tool-call":
      return decodeCall(block);
    case "tool-result":
      return decodeResult(block, inAssistant);
    default:
      return { type: "other", kind: type, value: block, source: block };
  }
}

/** Signatures and encrypted reasoning live in provider options, each provider under its own name. */
function decodeReasoning(block: WireObject): ReasoningPart {
  let signature = stringField(block, "signature");
  let opaque = stringField(block, "data");
  const options = block.providerOptions ?? block.providerMetadata;
  if (isWireObject(options)) {
    for (const option of Object.values(options)) {
      if (!isWireObject(option)) continue;
      signature ??= stringField(option, "signature");
      opaque ??= stringField(option, "redactedData") ?? stringField(option, "reasoningEncryptedContent");
    }
  }
  return {
    type: "reasoning",
    text: stringField(block, "text") ?? "",
    ...(signature === undefined ? {} : { signature }),
    ...(opaque === undefined ? {} : { opaque }),
    source: block,
  };
}

export function decodeCall(block: WireObject): ToolCallPart | string {
  if (typeof block.toolCallId !== "string") return "has no toolCallId";
  if (typeof block.toolName !== "string") return "has no toolName";
  const value = block.input ?? block.args;
  const input = typeof value === "string" ? value : value === undefined ? "{}" : toJsonText(value);
  if (input === undefined) return "has an input that is not JSON";
  return {
    type: "tool-call",
    id: block.toolCallId,
    name: block.toolName,
    input,
    ...(typeof value === "string" ? { custom: true } : {}),
    ...(block.providerExecuted === true ? { hosted: true } : {}),
    source: block,
  };
}

function decodeResult(block: WireObject, inAssistant: boolean): Part | string {
  if (typeof block.toolCallId !== "string") return "has no toolCallId";
  const output = decodeOutput(block.output ?? block.experimental_content ?? block.result);
  const name = stringField(block, "toolName");
  return {
    type: "tool-result",
    callId: block.toolCallId,
    ...(name === undefined ? {} : { name }),
    content: output.content,
    ...(output.isError || block.isError === true ? { isError: true } : {}),
    ...(inAssistant ? { hosted: true } : {}),
    source: block,
  };
}
