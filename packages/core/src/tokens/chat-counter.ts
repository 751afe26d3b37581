import { asMessages } from "../formats/as-messages.ts";
import { isMessage } from "../formats/own-messages.ts";
import type { Message, ToolDefinition } from "../message/message.ts";
import type { FilePart, Part } from "../message/part.ts";
import { countChoice, countTools } from "./count-tools.ts";
import { fitEnd, fitStart } from "./encoding/fit-text.ts";
import type { ChatRule } from "./families/family.ts";
import { type ImageRule, imageTokens } from "./image-tokens.ts";
import { TextCache, type TextCacheStatistics } from "./text-cache.ts";
import { toJsonText } from "./to-json-text.ts";
import type { TokenCounter } from "./token-counter.ts";
import type { ToolChoice } from "./tool-choice.ts";

/** What is the same in every counter: weighing messages and tools by a family's rules, nothing of it twice. */
export abstract class ChatCounter implements TokenCounter {
  abstract readonly name: string;
  abstract readonly exact: boolean;
  protected readonly weights: MessageWeights;

  constructor({ chat, image }: { readonly chat: ChatRule; readonly image: ImageRule }) {
    this.weights = new MessageWeights({ count: (text) => this.measure(text), chat, image });
  }

  /** Counts a text that is not in the cache. */
  protected abstract measure(text: string): number;

  /** By measuring starts of the text; a counter with a table of its own does better. */
  take(text: string, maxTokens: number): string {
    return fitStart(text, maxTokens, (start) => this.measure(start), 4);
  }

  takeLast(text: string, maxTokens: number): string {
    return fitEnd(text, maxTokens, (end) => this.measure(end), 4);
  }

  get steady(): boolean {
    return this.weights.settled;
  }

  count(text: string): number {
    return this.weights.count(text);
  }

  countMessage(message: Message | object): number {
    return this.weights.ofMessage(message);
  }

  countMessages(messages: readonly (Message | object)[]): number {
    return this.weights.ofMessages(messages);
  }

  countTools(tools: readonly ToolDefinition[], choice?: ToolChoice): number {
    return this.weights.ofTools(tools, choice);
  }

  cacheStatistics(): TextCacheStatistics {
    return this.weights.statistics();
  }
}

interface MessageWeightsOptions {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
  readonly image: ImageRule;
  /** Bound of the text cache; 0 turns it off. */
  readonly cacheBytes?: number;
}

/** Texts below this are counted faster than they are looked up. */
const minCachedLength = 64;

/**
 * Nothing is counted twice: a message object is weighed once, and a text that arrives again inside another object (a
 * client that resends its history) is found by its content.
 */
class MessageWeights {
  readonly #rules: WeighRules;
  readonly #texts: TextCache;
  readonly #messages = new WeakMap<object, number>();
  /** Whether a provisional count went into the message being weighed, whose weight is then not kept. */
  #usedProvisional = false;
  #everProvisional = false;

  constructor(options: MessageWeightsOptions) {
    this.#texts = new TextCache(options.cacheBytes ?? 16_777_216);
    const remember = (text: string) => {
      if (text.length < minCachedLength) return options.count(text);
      const known = this.#texts.get(text);
      if (known !== undefined) {
        if (known < 0) this.#usedProvisional = true;
        return Math.abs(known);
      }
      const tokens = options.count(text);
      this.#texts.set(text, tokens);
      return tokens;
    };
    this.#rules = { count: remember, chat: options.chat, image: options.image };
  }

  /** Whether all weights are final: no count ever was provisional. */
  get settled(): boolean {
    return !this.#everProvisional;
  }

  count(text: string): number {
    return this.#rules.count(text);
  }

  ofMessage(message: Message | object): number {
    const known = this.#messages.get(message);
    if (known !== undefined) return known;
    if (!isMessage(message)) return this.#sum(asMessages([message]));
    this.#usedProvisional = false;
    const tokens = weighMessage(message, this.#rules);
    if (!this.#usedProvisional) this.#messages.set(message, tokens);
    return tokens;
  }

  ofMessages(messages: readonly (Message | object)[]): number {
    return this.#rules.chat.perRequest + this.#sum(asMessages(messages));
  }

  #sum(messages: readonly Message[]): number {
    let tokens = 0;
    for (const message of messages) tokens += this.ofMessage(message);
    return tokens;
  }

  /** Looked at anew each time: callers add tools to the same list, and change them in place. */
  ofTools(tools: readonly ToolDefinition[], choice?: ToolChoice): number {
    if (tools.length === 0) return 0;
    return countTools(tools, this.#rules) + countChoice(choice, this.#rules);
  }

  /** The texts of at least `minLength` in these messages that were never counted, or only provisionally. */
  uncounted(messages: readonly Message[], minLength: number): string[] {
    const found = new Set<string>();
    const collect = (text: string) => {
      if (text.length >= minLength && !((this.#texts.peek(text) ?? 0) > 0)) found.add(text);
      return 0;
    };
    const rules = { ...this.#rules, count: collect };
    for (const message of messages) if (!this.#messages.has(message)) weighMessage(message, rules);
    return [...found];
  }

  remember(text: string, tokens: number, provisional: boolean): void {
    this.#everProvisional ||= provisional;
    // Kept as a negative number while provisional.
    this.#texts.set(text, provisional ? -tokens : tokens);
  }

  statistics(): TextCacheStatistics {
    return this.#texts.statistics();
  }
}

/** What a counter needs to turn a message into a number. */
interface WeighRules {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
  readonly image: ImageRule;
}

/** The tokens of one message: its parts and what the chat format puts around them. */
function weighMessage(message: Message, rules: WeighRules): number {
  const { chat, count } = rules;
  let tokens = chat.perMessage;
  let calls = 0;
  let nameTokens = 0;
  if (message.name !== undefined) tokens += chat.perName + count(message.name);
  for (const part of message.parts) {
    tokens += weighPart(part, rules);
    if (part.type !== "tool-call") continue;
    calls++;
    nameTokens = count(part.name);
  }
  if (calls === 1) tokens += chat.calls.oneCall + (chat.calls.repeatsName ? nameTokens : 0);
  else if (calls > 1) tokens += chat.calls.severalCalls;
  return tokens;
}

function weighPart(part: Part, rules: WeighRules): number {
  const { chat, count } = rules;
  switch (part.type) {
    case "text":
      return count(part.text);
    case "reasoning":
      return count(part.text) + opaqueTokens(part.opaque);
    case "image":
      return imageTokens(part, rules.image);
    case "file":
      // Where its text is sent, its text is what it costs.
      return part.text === undefined ? count(describeFile(part)) : count(part.text) + count(part.name ?? "");
    case "tool-call":
      return chat.calls.perCall + count(part.name) + countArguments(part.input, rules);
    case "tool-result": {
      let tokens = chat.perToolResult;
      for (const inner of part.content) tokens += weighPart(inner, rules);
      return tokens;
    }
    case "other":
      return count(toJsonText(part.value));
  }
}

/** A file that goes as a file counts by what describes it: name, type, size. */
function describeFile(file: FilePart): string {
  const size = file.bytes ?? file.text?.length ?? (file.data === undefined ? undefined : base64Bytes(file.data));
  const facts = [file.name, file.mediaType, size === undefined ? undefined : `${size} bytes`];
  return facts.filter((fact) => fact !== undefined).join(" ");
}

const base64Bytes = (data: string) =>
  Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

/** Encrypted reasoning is base64 over the provider's own text: about four thirds of its bytes, four bytes a token. */
const opaqueTokens = (opaque: string | undefined) => (opaque === undefined ? 0 : Math.ceil((opaque.length * 3) / 16));

interface Rules {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
}

/** The tokens of a tool call's arguments, as the family's chat format writes them. */
function countArguments(input: string, { count, chat }: Rules): number {
  const rule = chat.calls;
  if (rule.arguments === "text") return count(input);
  const value = parseObject(input);
  if (value === undefined) return count(input) + rule.perArgument;
  if (rule.arguments === "compact") return count(JSON.stringify(value));
  let text = "";
  let length = 0;
  for (const [key, inner] of Object.entries(value)) {
    text += `${key}\n${typeof inner === "string" ? inner : JSON.stringify(inner)}\n`;
    length++;
  }
  return count(text) + length * rule.perArgument;
}

/** The arguments as an object; free text and JSON of any other kind has none. */
function parseObject(input: string): Readonly<Record<string, unknown>> | undefined {
  if (!input.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(input) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
