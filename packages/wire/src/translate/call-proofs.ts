import type { Message, Part, ReasoningPart } from "@midfold/core";
import { isJsonObject, type JsonObject } from "../neutral/json-object.ts";

/**
 * Gemini proves its tool calls: `extra_content` beside a call holds a signature of the reasoning that led to it, and
 * without it the next request is refused. No other protocol has a place for it but sealed reasoning, which every client
 * sends back untouched; so it travels as one, in front of its call.
 */
const prefix = "midfold.call.";

/** The sealed thought for a call as it came; undefined when there is nothing to prove. */
export function proofOf(call: JsonObject, id: string): ReasoningPart | undefined {
  if (!isJsonObject(call.extra_content)) return undefined;
  const packed = Buffer.from(JSON.stringify([id, call.extra_content]), "utf8").toString("base64url");
  return { type: "reasoning", text: "", opaque: prefix + packed };
}

/** What the calls of a conversation came with, by call id. */
export function proofsIn(messages: readonly Message[]): ReadonlyMap<string, JsonObject> {
  const proofs = new Map<string, JsonObject>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (!isProof(part)) continue;
    try {
      const [id, extra] = JSON.parse(Buffer.from(part.opaque.slice(prefix.length), "base64url").toString());
      if (typeof id === "string" && isJsonObject(extra)) proofs.set(id, extra);
    } catch {
      // The client changed the sealed text: the call goes out without its proof, and the upstream says what is missing.
    }
  }
  return proofs;
}

/** The message as anybody but the upstream that gave the proofs may see it. */
export function withoutProofs(message: Message): Message {
  return message.parts.some(isProof) ? { ...message, parts: message.parts.filter((part) => !isProof(part)) } : message;
}

function isProof(part: Part): part is ReasoningPart & { readonly opaque: string } {
  return part.type === "reasoning" && part.opaque?.startsWith(prefix) === true;
}
