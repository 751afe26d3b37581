import type { Message, Part, ToolResultPart } from "@midfold/core";

/** The message without any memory of the wire it came from: blocks of one protocol mean nothing in another. */
export function stripSources(message: Message): Message {
  const { source: _, parts, ...rest } = message;
  return { ...rest, parts: parts.map(stripPart) };
}

function stripPart(part: Part): Part {
  const { source: _, ...rest } = part;
  const bare = rest as Part;
  if (bare.type !== "tool-result") return bare;
  return { ...bare, content: bare.content.map(stripPart) as ToolResultPart["content"] };
}
