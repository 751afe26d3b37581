import type { Warn } from "../errors/warning.ts";
import { asMessages } from "../formats/as-messages.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { ContextLimits } from "./context-limits.ts";

export interface ContextTrackerOptions {
  readonly counter?: TokenCounter;
  readonly limits?: ContextLimits;
  /** Told when the model is unknown and default limits stand in. */
  readonly warn?: Warn;
}

/** How full the context is, kept up to date as messages arrive. */
export class ContextTracker {
  readonly limits: ContextLimits;
  readonly counter: TokenCounter;
  #currentTokens = 0;

  constructor(model: string, { counter, limits, warn }: ContextTrackerOptions = {}) {
    this.limits = limits ?? ContextLimits.forModel(model, warn === undefined ? {} : { warn });
    this.counter = counter ?? getCounter(model);
  }

  get currentTokens(): number {
    return this.#currentTokens;
  }

  /** Recounts from the whole list, reply primer included. */
  update(messages: readonly (Message | object)[]): void {
    this.#currentTokens = messages.length === 0 ? 0 : this.counter.countMessages(asMessages(messages));
  }

  /** Adds one message and returns its tokens. */
  addMessage(message: Message | object): number {
    const read = asMessages([message]);
    const tokens = read.reduce((sum, each) => sum + this.counter.countMessage(each), 0);
    // The first message also brings the primer that every list carries once.
    this.#currentTokens += this.#currentTokens === 0 ? this.counter.countMessages(read) : tokens;
    return tokens;
  }

  exceedsLimit(): boolean {
    return this.#currentTokens > this.limits.inputTokens;
  }

  overflowAmount(): number {
    return Math.max(0, this.#currentTokens - this.limits.inputTokens);
  }

  availableTokens(): number {
    return Math.max(0, this.limits.inputTokens - this.#currentTokens);
  }
}
