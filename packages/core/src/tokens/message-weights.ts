import { asMessages } from "../formats/as-messages.ts";
import { isMessage } from "../formats/own-messages.ts";
import type { Message, ToolDefinition } from "../message/message.ts";
import { countChoice, countTools } from "./count-tools.ts";
import type { ChatRule } from "./families/family.ts";
import type { ImageRule } from "./image-tokens.ts";
import { TextCache, type TextCacheStatistics } from "./text-cache.ts";
import type { ToolChoice } from "./tool-choice.ts";
import { type WeighRules, weighMessage } from "./weigh-message.ts";

export interface MessageWeightsOptions {
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
export class MessageWeights {
  readonly #rules: WeighRules;
  readonly #texts: TextCache;
  readonly #messages = new WeakMap<object, number>();
  /** Whether a provisional count went into the message being weighed, whose weight is then not kept. */
  #usedProvisional = false;
  #everProvisional = false;

  constructor(options: MessageWeightsOptions) {
    this.#texts = new TextCache(options.cacheBytes ?? 33_554_432);
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
