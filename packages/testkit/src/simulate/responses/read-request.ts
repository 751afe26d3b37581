import { countText, tiledImageTokens } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import type { CountedPiece, RequestView } from "../protocol.ts";
import type { Turn, TurnMessage } from "../turn.ts";
import { itemTypes } from "./known-fields.ts";
import { itemType, resolveItems } from "./resolve-items.ts";

export function readRequest(view: RequestView): Omit<Turn, "inputTokens" | "index"> {
  const { body } = view;
  const messages = resolveItems(view).map(readItem);
  const from = messages.findIndex((message) => message.role !== "system");
  const head = from < 0 ? messages : messages.slice(0, from);
  return {
    protocol: "openai-responses",
    model: asText(body.model),
    stream: body.stream === true,
    system: [asText(body.instructions), ...head.map((message) => message.text)]
      .filter((text) => text !== "")
      .join("\n"),
    messages: messages.slice(head.length),
    tools: asArray(body.tools).flatMap((tool) => (isObject(tool) ? toolNames(tool) : [])),
    body,
  };
}

function toolNames(tool: JsonObject): string[] {
  const inner = asArray(tool.tools).flatMap((each) => (isObject(each) ? toolNames(each) : []));
  return inner.length > 0 ? inner : [asText(tool.name) || asText(tool.type)];
}

function readItem(item: JsonObject): TurnMessage {
  const { call, output } = itemTypes.get(itemType(item)) ?? {};
  const id = asText(item.call_id);
  if (output === true)
    return { role: "tool", text: "", calls: [], results: [{ callId: id, text: textOf(item.output) }] };
  if (call === true) {
    const input = asText(item.arguments ?? item.input) || JSON.stringify(item.action ?? {});
    return { role: "assistant", text: "", calls: [{ id, name: asText(item.name), input }], results: [] };
  }
  const role = asText(item.role);
  const spoken = role === "user" ? "user" : role === "system" || role === "developer" ? "system" : "assistant";
  return { role: spoken, text: textOf(item.content), calls: [], results: [] };
}

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : asArray(content)
        .flatMap((part) => (isObject(part) && typeof part.text === "string" ? [part.text] : []))
        .join("\n");

export function readPieces(view: RequestView): CountedPiece[] {
  const { body } = view;
  const pieces: CountedPiece[] = asArray(body.tools).map((tool, index) => ({
    tokens: 7 + (index === 0 ? 12 : 0) + countText(JSON.stringify(tool)),
    identity: JSON.stringify(tool),
  }));
  const instructions = asText(body.instructions);
  if (instructions !== "") pieces.push({ tokens: 3 + countText(instructions), identity: instructions });
  for (const item of resolveItems(view)) pieces.push({ tokens: countItem(item), identity: JSON.stringify(item) });
  pieces.push({ tokens: 3, identity: "primer" });
  return pieces;
}

function countItem(item: JsonObject): number {
  switch (itemType(item)) {
    case "message":
      return 3 + countContent(item.content);
    case "function_call":
      return 6 + countText(asText(item.name)) + countText(asText(item.arguments));
    case "custom_tool_call":
      return 6 + countText(asText(item.name)) + countText(asText(item.input));
    case "reasoning": {
      const sealed = asText(item.encrypted_content);
      return 3 + countContent(item.summary) + Math.ceil((sealed.length * 3) / 16);
    }
    case "compaction":
      return 3 + Math.ceil((asText(item.encrypted_content).length * 3) / 16);
    default:
      return item.output === undefined ? 3 + countText(JSON.stringify(item)) : 3 + countContent(item.output);
  }
}

function countContent(content: unknown): number {
  if (typeof content === "string") return countText(content);
  return asArray(content)
    .filter(isObject)
    .reduce((sum, part) => sum + countPart(part), 0);
}

function countPart(part: JsonObject): number {
  if (typeof part.text === "string") return countText(part.text);
  if (part.type === "input_image") {
    const url = asText(part.image_url);
    return tiledImageTokens(url.startsWith("data:") ? url.slice(url.indexOf(",") + 1) : undefined);
  }
  if (part.type !== "input_file") return countText(JSON.stringify(part));
  const [head, base64 = ""] = asText(part.file_data).split(",");
  return head?.startsWith("data:text/") ? 10 + countText(Buffer.from(base64, "base64").toString()) : 1_500;
}
