import type { FilePart, ImagePart, OtherPart, Part, TextPart, ToolResultPart } from "@midfold/core";
import { isJsonObject, textField } from "../neutral/json-object.ts";

type Content = ToolResultPart["content"][number];

/** Readable words for a block that the other protocol has no block for; undefined when it says nothing to a model. */
export function describeOther(part: OtherPart): string | undefined {
  const { value } = part;
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  switch (part.kind) {
    case "refusal":
      return textField(value.refusal);
    case "tool_reference":
      return `Tool ${textField(value.tool_name) ?? ""} is now available.`;
    case "search_result":
      return describeSearchResult(value);
    case "document":
      return describeContentDocument(value);
    case "container_upload":
      return `[file uploaded: ${textField(value.file_id) ?? ""}]`;
    case "web_search_call":
    case "file_search_call":
    case "code_interpreter_call":
    case "image_generation_call":
    case "mcp_call":
      return describeHostedCall(part.kind, value);
    default:
      return undefined;
  }
}

/** Words for a tool that another provider ran: what was asked, and what came of it. */
export function describeHosted(part: Part): string {
  if (part.type === "tool-call") return `[${part.name}: ${part.input}]`;
  if (part.type !== "tool-result") return "";
  const words = part.content.map((content) => describeContent(content)).filter((text) => text !== "");
  return `[${part.name ?? "tool"} result: ${words.join("\n")}]`;
}

function describeContent(part: Content): string {
  if (part.type === "text") return part.text;
  if (part.type !== "other") return `[${part.type}]`;
  const known = describeOther(part);
  if (known !== undefined) return known;
  if (!isJsonObject(part.value)) return "";
  const { title, url, stdout, stderr, error_code: code } = part.value;
  return [title, url, stdout, stderr, code].filter((value) => typeof value === "string" && value !== "").join(" ");
}

function describeSearchResult(value: Readonly<Record<string, unknown>>): string {
  const body = Array.isArray(value.content)
    ? value.content.map((block) => (isJsonObject(block) ? (textField(block.text) ?? "") : "")).join("\n")
    : "";
  return [textField(value.title), textField(value.source), body].filter(Boolean).join("\n");
}

/** A document made of blocks: its texts under its title. */
function describeContentDocument(value: Readonly<Record<string, unknown>>): string | undefined {
  const from = value.source;
  if (!isJsonObject(from)) return undefined;
  const blocks = typeof from.content === "string" ? [{ text: from.content }] : from.content;
  if (!Array.isArray(blocks)) return undefined;
  const texts = blocks.map((block) => (isJsonObject(block) ? (textField(block.text) ?? "[image]") : ""));
  return [textField(value.title), ...texts].filter(Boolean).join("\n");
}

function describeHostedCall(kind: string, value: Readonly<Record<string, unknown>>): string {
  const name = kind.replace(/_call$/, "");
  const asked = textField(value.arguments) ?? textField(value.code) ?? describeAction(value.action) ?? "";
  const result = textField(value.output);
  return result === undefined ? `[${name}: ${asked}]` : `[${name}: ${asked}]\n${result}`;
}

function describeAction(action: unknown): string | undefined {
  if (!isJsonObject(action)) return undefined;
  return textField(action.query) ?? textField(action.url) ?? textField(action.pattern);
}

/** The words of a document that travels as text. */
export function describeFile(part: FilePart): TextPart {
  const title = part.name === undefined ? "" : `${part.name}\n`;
  if (part.text !== undefined) return { type: "text", text: `${title}${part.text}` };
  if (part.url !== undefined)
    return { type: "text", text: `[document: ${part.name ?? ""} ${part.url}]`.replace("  ", " ") };
  return { type: "text", text: `[document omitted: ${part.name ?? part.mediaType ?? "file"}]` };
}

export function describeImage(part: ImagePart): TextPart {
  return { type: "text", text: part.url === undefined ? "[image omitted]" : `[image omitted: ${part.url}]` };
}
