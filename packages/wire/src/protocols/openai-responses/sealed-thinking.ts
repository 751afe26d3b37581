import type { Message, Part, ReasoningPart } from "@midfold/core";

/** How thinking that another provider signed begins in the opaque field of a reasoning item. */
const prefix = "midfold.thinking.";

/**
 * What goes into `encrypted_content`, which clients such as Codex send back untouched: the provider's own sealed reasoning,
 * or signed ones packed with their signature. Without them a model that thinks between tool calls would lose its thread.
 */
export function sealThinking({ text, signature, opaque }: Omit<ReasoningPart, "type">): string | undefined {
  if (signature === undefined) return opaque;
  return prefix + Buffer.from(JSON.stringify([text, signature]), "utf8").toString("base64url");
}

/** The same messages with packed reasoning as they were signed. Messages without any keep their identity. */
export function openThinking(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    if (!message.parts.some(isPacked)) return message;
    return { ...message, parts: message.parts.map((part) => (isPacked(part) ? unpack(part) : part)) };
  });
}

function isPacked(part: Part): part is ReasoningPart {
  return part.type === "reasoning" && part.opaque?.startsWith(prefix) === true;
}

/** A client may have changed what it was given: what cannot be read is thinking without a proof. */
function unpack(part: ReasoningPart): ReasoningPart {
  const bare: ReasoningPart = { type: "reasoning", text: part.text };
  try {
    const packed: unknown = JSON.parse(Buffer.from((part.opaque ?? "").slice(prefix.length), "base64url").toString());
    if (!Array.isArray(packed)) return bare;
    const [text, signature] = packed as readonly unknown[];
    return typeof text === "string" && typeof signature === "string" ? { type: "reasoning", text, signature } : bare;
  } catch {
    return bare;
  }
}
