import { areaImageTokens, countText } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import type { CountedPiece, RequestView } from "../protocol.ts";
import type { Turn, TurnMessage } from "../turn.ts";
import { contentBlocks } from "./validate-messages.ts";

export function readRequest({ body }: RequestView): Omit<Turn, "inputTokens" | "index"> {
  return {
    protocol: "anthropic-messages",
    model: asText(body.model),
    stream: body.stream === true,
    system: systemText(body),
    messages: asArray(body.messages).filter(isObject).map(readMessage),
    tools: asArray(body.tools).flatMap((tool) => (isObject(tool) ? [asText(tool.name)] : [])),
    body,
  };
}

const systemText = (body: JsonObject): string =>
  typeof body.system === "string" ? body.system : textOf(asArray(body.system).filter(isObject));

const textOf = (blocks: readonly JsonObject[]): string =>
  blocks.flatMap((block) => (block.type === "text" ? [asText(block.text)] : [])).join("\n");

function readMessage(message: JsonObject): TurnMessage {
  const blocks = contentBlocks(message);
  const results = blocks.filter((block) => block.type === "tool_result");
  const role = asText(message.role);
  const onlyResults = results.length > 0 && results.length === blocks.length;
  return {
    role: role === "assistant" || role === "system" ? role : onlyResults ? "tool" : "user",
    text: textOf(blocks),
    calls: blocks.flatMap((block) =>
      block.type === "tool_use"
        ? [{ id: asText(block.id), name: asText(block.name), input: JSON.stringify(block.input) }]
        : [],
    ),
    results: results.map((block) => ({
      callId: asText(block.tool_use_id),
      text: typeof block.content === "string" ? block.content : textOf(asArray(block.content).filter(isObject)),
    })),
  };
}

/** Tools, then the system prompt, then the messages: the order in which the provider caches them. */
export function readPieces({ body }: RequestView): CountedPiece[] {
  const pieces: CountedPiece[] = asArray(body.tools).map((tool) => ({
    tokens: 8 + countText(JSON.stringify(tool, withoutCacheMarks)),
    identity: identityOf(tool),
  }));
  const system = typeof body.system === "string" ? [{ type: "text", text: body.system }] : asArray(body.system);
  for (const block of system) {
    pieces.push({ tokens: isObject(block) ? countText(asText(block.text)) : 0, identity: identityOf(block) });
  }
  for (const message of asArray(body.messages).filter(isObject)) {
    const blocks = contentBlocks(message);
    const tokens = blocks.reduce((sum, block) => sum + countBlock(block), 3);
    pieces.push({ tokens, identity: identityOf([message.role, blocks]) });
  }
  return pieces;
}

const withoutCacheMarks = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);
const identityOf = (value: unknown): string => JSON.stringify(value, withoutCacheMarks);

function countBlock(block: JsonObject): number {
  const source = isObject(block.source) ? block.source : {};
  switch (block.type) {
    case "text":
      return countText(asText(block.text));
    case "thinking":
      return countText(asText(block.thinking));
    case "redacted_thinking":
      return Math.ceil((asText(block.data).length * 3) / 16);
    case "image":
      return areaImageTokens(source.type === "base64" ? asText(source.data) : undefined);
    case "document":
      return 10 + countText(asText(block.title)) + (source.type === "text" ? countText(asText(source.data)) : 1_500);
    case "tool_use":
      return 8 + countText(asText(block.name)) + countText(JSON.stringify(block.input));
    case "tool_result": {
      const content =
        typeof block.content === "string" ? [{ type: "text", text: block.content }] : asArray(block.content);
      return content.filter(isObject).reduce((sum, inner) => sum + countBlock(inner), 6);
    }
    default:
      return countText(JSON.stringify(block));
  }
}
