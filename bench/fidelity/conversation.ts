import { get_encoding } from "tiktoken";

/** A message in OpenAI chat format, which is what every recorded conversation is in and what every contestant gets. */
export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | null;
  readonly tool_calls?: readonly ToolCall[];
  readonly tool_call_id?: string;
  readonly date?: string;
}

export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** What may not be cut apart: an assistant message with its tool calls and their results, or any other single message. */
export type Unit = readonly ChatMessage[];

const encoding = get_encoding("o200k_base");
const counted = new Map<string, number>();
const perMessage = 4;

/** Exact o200k tokens of a text, by a tokenizer the product does not use. */
export function countText(text: string): number {
  if (text === "") return 0;
  const known = counted.get(text);
  if (known !== undefined) return known;
  const tokens = encoding.encode_ordinary(text).length;
  if (counted.size > 200_000) counted.clear();
  counted.set(text, tokens);
  return tokens;
}

const weighed = new WeakMap<ChatMessage, number>();

/** Four tokens around each message, as the provider documents, and the text of content, tool names and arguments. */
export function countMessage(message: ChatMessage): number {
  const known = weighed.get(message);
  if (known !== undefined) return known;
  let tokens = perMessage + countText(contentOf(message));
  for (const call of message.tool_calls ?? []) {
    tokens += countText(call.function.name) + countText(withoutSpaces(call.function.arguments));
  }
  weighed.set(message, tokens);
  return tokens;
}

/** Providers write arguments anew: what a client put between the tokens of its JSON is not charged. */
function withoutSpaces(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json));
  } catch {
    return json;
  }
}

export function countMessages(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => sum + countMessage(message), 0);
}

/** The text of a message's content; contestants may answer with lists of text parts. */
export function contentOf(message: ChatMessage): string {
  const content: unknown = message.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: unknown }) => (typeof part.text === "string" ? part.text : "")).join("\n");
}

/** Everything a model would read of a message, on one line. */
export function flatText(message: ChatMessage): string {
  const calls = (message.tool_calls ?? []).map((call) => `${call.function.name} ${call.function.arguments}`);
  return flatten([contentOf(message), ...calls].join("\n"));
}

export function flatten(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

export function unitsOf(messages: readonly ChatMessage[]): Unit[] {
  const units: ChatMessage[][] = [];
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool" && open.has(message.tool_call_id ?? "")) {
      units.at(-1)!.push(message);
      continue;
    }
    units.push([message]);
    open = new Set((message.tool_calls ?? []).map(({ id }) => id));
  }
  return units;
}

/**
 * What a provider would refuse: a result without its call, a call without its result, a message without content. What was
 * wrong in the recording already (a run that was interrupted) is not held against whoever passes it on.
 */
export function faultsOf(messages: readonly ChatMessage[], recorded: readonly ChatMessage[]): string[] {
  const known = new Set(pairFaults(recorded));
  return pairFaults(messages).filter((fault) => !known.has(fault));
}

function pairFaults(messages: readonly ChatMessage[]): string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === "tool") {
      if (!open.delete(message.tool_call_id ?? "")) faults.push(`result ${message.tool_call_id} without its call`);
      continue;
    }
    if (open.size > 0) faults.push(`call ${[...open].join(", ")} without its result`);
    open = new Set((message.tool_calls ?? []).map(({ id }) => id));
    if (message.role === "user" && contentOf(message) === "") faults.push("empty user message");
  }
  if (open.size > 0) faults.push(`call ${[...open].join(", ")} without its result`);
  return faults;
}
