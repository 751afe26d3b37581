import { countText, tiledImageTokens } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import type { CountedPiece, RequestView } from "../protocol.ts";
import type { Turn, TurnMessage } from "../turn.ts";

export function readRequest({ body }: RequestView): Omit<Turn, "inputTokens" | "index"> {
  const messages = asArray(body.messages).filter(isObject).map(readMessage);
  const from = messages.findIndex((message) => message.role !== "system");
  const head = from < 0 ? messages : messages.slice(0, from);
  return {
    protocol: "openai-chat",
    model: asText(body.model),
    stream: body.stream === true,
    system: head.map((message) => message.text).join("\n"),
    messages: messages.slice(head.length),
    tools: asArray(body.tools).flatMap((tool) => {
      const inner = isObject(tool) ? (tool.function ?? tool.custom) : undefined;
      return isObject(inner) ? [asText(inner.name)] : [];
    }),
    body,
  };
}

function readMessage(message: JsonObject): TurnMessage {
  const text = textOf(message.content);
  const role = asText(message.role);
  return {
    role: role === "assistant" || role === "tool" || role === "user" ? role : "system",
    text: role === "tool" ? "" : text,
    calls: asArray(message.tool_calls).filter(isObject).map(readCall),
    results: role === "tool" ? [{ callId: asText(message.tool_call_id), text }] : [],
  };
}

function readCall(call: JsonObject) {
  const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {};
  return { id: asText(call.id), name: asText(inner.name), input: asText(inner.arguments ?? inner.input) };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asArray(content)
        .flatMap((part) => (isObject(part) && part.type === "text" ? [asText(part.text)] : []))
        .join("\n");

/** Tools first, then the messages, then the primer of the reply. */
export function readPieces({ body }: RequestView): CountedPiece[] {
  const pieces: CountedPiece[] = asArray(body.tools).map((tool, index) => ({
    tokens: countTool(tool) + (index === 0 ? 12 : 0),
    identity: JSON.stringify(tool),
  }));
  for (const message of asArray(body.messages).filter(isObject)) {
    const name = typeof message.name === "string" ? 1 + countText(message.name) : 0;
    const calls = asArray(message.tool_calls)
      .filter(isObject)
      .map(readCall)
      .reduce((sum, call) => sum + 3 + countText(call.name) + countText(call.input), 0);
    pieces.push({ tokens: 3 + name + countContent(message.content) + calls, identity: JSON.stringify(message) });
  }
  pieces.push({ tokens: 3, identity: "primer" });
  return pieces;
}

function countTool(tool: unknown): number {
  const inner = isObject(tool) ? (tool.function ?? tool.custom) : undefined;
  if (!isObject(inner)) return countText(JSON.stringify(tool));
  return (
    7 +
    countText(asText(inner.name)) +
    countText(asText(inner.description)) +
    countText(JSON.stringify(inner.parameters ?? {}))
  );
}

function countContent(content: unknown): number {
  if (typeof content === "string") return countText(content);
  return asArray(content)
    .filter(isObject)
    .reduce((sum, part) => sum + countPart(part), 0);
}

function countPart(part: JsonObject): number {
  switch (part.type) {
    case "text":
      return countText(asText(part.text));
    case "image_url": {
      const url = isObject(part.image_url) ? asText(part.image_url.url) : "";
      return tiledImageTokens(url.startsWith("data:") ? url.slice(url.indexOf(",") + 1) : undefined);
    }
    case "file": {
      const data = isObject(part.file) ? asText(part.file.file_data) : "";
      const [head, base64 = ""] = data.split(",");
      return head?.startsWith("data:text/") ? 10 + countText(Buffer.from(base64, "base64").toString()) : 1_500;
    }
    default:
      return countText(JSON.stringify(part));
  }
}
