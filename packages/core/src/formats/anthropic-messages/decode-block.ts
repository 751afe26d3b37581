import type { OtherPart, Part, ToolCallPart, ToolResultPart } from "../../message/part.ts";
import { toJsonText } from "../json-text.ts";
import { describeValue, isWireObject, stringField, type WireObject } from "../wire-object.ts";
import { decodeDocument, decodeImage } from "./decode-media.ts";

const resultSuffix = "_tool_result";

/** One content block as a part; a string says what is wrong with it. */
export function decodeBlock(block: WireObject, type: string): Part | string {
  switch (type) {
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, source: block } : "has no text";
    case "image":
      return decodeImage(block);
    case "document":
      return decodeDocument(block);
    case "thinking": {
      const part = { type: "reasoning", text: stringField(block, "thinking") ?? "", source: block } as const;
      return typeof block.signature === "string" ? { ...part, signature: block.signature } : part;
    }
    case "redacted_thinking":
      return { type: "reasoning", text: "", opaque: stringField(block, "data") ?? "", source: block };
    case "tool_use":
      return decodeToolUse(block, false);
    case "server_tool_use":
    case "mcp_tool_use":
      return decodeToolUse(block, true);
    case "tool_result":
      return decodeToolResult(block);
    default:
      return type.endsWith(resultSuffix) ? decodeHostedResult(block, type) : unknownBlock(block, type);
  }
}

function unknownBlock(block: WireObject, type: string): OtherPart {
  return { type: "other", kind: type, value: block, source: block };
}

function decodeToolUse(block: WireObject, hosted: boolean): ToolCallPart | string {
  if (typeof block.id !== "string") return "has no id";
  if (typeof block.name !== "string") return "has no name";
  const input = block.input === undefined || block.input === null ? "{}" : toJsonText(block.input);
  if (input === undefined) return "has an input that is not JSON";
  const part = { type: "tool-call", id: block.id, name: block.name, input, source: block } as const;
  return hosted ? { ...part, hosted } : part;
}

function decodeToolResult(block: WireObject): ToolResultPart | string {
  if (typeof block.tool_use_id !== "string") return "has no tool_use_id";
  const content = decodeResultContent(block.content);
  if (typeof content === "string") return content;
  const part = { type: "tool-result", callId: block.tool_use_id, content, source: block } as const;
  return block.is_error === true ? { ...part, isError: true } : part;
}

function decodeResultContent(content: unknown): ToolResultPart["content"] | string {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) return `needs a string or an array as content, not ${describeValue(content)}`;
  const parts: ToolResultPart["content"][number][] = [];
  for (const inner of content) {
    if (!isWireObject(inner) || typeof inner.type !== "string") return "has a content block without a type";
    const part = decodeBlock(inner, inner.type);
    if (typeof part === "string") return `has a content block of type "${inner.type}" that ${part}`;
    const plain = part.type === "text" || part.type === "image" || part.type === "file";
    parts.push(plain ? part : unknownBlock(inner, inner.type));
  }
  return parts;
}

/** `web_search_tool_result` and its kin: what came of a tool that the provider ran itself. */
function decodeHostedResult(block: WireObject, type: string): Part {
  if (typeof block.tool_use_id !== "string") return unknownBlock(block, type);
  const listed = decodeResultContent(block.content);
  const content =
    typeof listed === "string" ? [{ type: "other", kind: type, value: block.content } satisfies OtherPart] : listed;
  return {
    type: "tool-result",
    callId: block.tool_use_id,
    name: type.slice(0, -resultSuffix.length),
    content,
    ...(block.is_error === true ? { isError: true } : {}),
    hosted: true,
    source: block,
  };
}
