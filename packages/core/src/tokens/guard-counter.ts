import type { Warn } from "../errors/warning.ts";
import type { Message, ToolDefinition } from "../message/message.ts";
import { ApproximateCounter, approximateFactor } from "./approximate-counter.ts";
import { ChatCounter } from "./chat-counter.ts";
import { defaultFamily } from "./families/default-family.ts";
import type { TokenCounter } from "./token-counter.ts";
import type { ToolChoice } from "./tool-choice.ts";

/**
 * A counter somebody else wrote, made safe: where it throws, the approximate counter answers instead, and the caller is
 * told once. One that cannot even count a word is replaced, and counts as inexact, so that folding starts earlier.
 *
 * @example const counter = guardCounter(mine, ({ message }) => console.warn(message));
 */
export function guardCounter(counter: TokenCounter, warn: Warn): TokenCounter {
  let fallback: ApproximateCounter | undefined;
  let warned = false;
  const tell = (error: unknown) => {
    if (warned) return;
    warned = true;
    warn({
      code: "approximate-count",
      message: `The token counter "${counter.name}" failed; counts are approximate and the budget is smaller.`,
      details: { error: error instanceof Error ? error.message : String(error) },
    });
  };
  const attempt = <T>(run: (by: TokenCounter) => T): T => {
    try {
      return run(counter);
    } catch (error) {
      tell(error);
      fallback ??= new ApproximateCounter();
      return run(fallback);
    }
  };
  attempt((by) => by.count("a word"));
  return {
    name: counter.name,
    exact: counter.exact && !warned,
    ...(warned ? { errorBound: 1 / approximateFactor - 1 } : {}),
    ...(!warned && counter.errorBound !== undefined ? { errorBound: counter.errorBound } : {}),
    get steady() {
      return counter.steady === true && !warned;
    },
    count: (text) => attempt((by) => by.count(text)),
    countMessage: (message: Message | object) => attempt((by) => by.countMessage(message)),
    countMessages: (messages: readonly (Message | object)[]) => attempt((by) => by.countMessages(messages)),
    countTools: (tools: readonly ToolDefinition[], choice?: ToolChoice) =>
      attempt((by) => by.countTools(tools, choice)),
    take: (text, maxTokens) => attempt((by) => by.take(text, maxTokens)),
    takeLast: (text, maxTokens) => attempt((by) => by.takeLast(text, maxTokens)),
  };
}

/** Counters made of functions, so that what one call counted is known in the next. */
const madeOf = new WeakMap<(text: string) => number, TokenCounter>();

/** A whole counter; one that is only a function for texts gets the overhead of messages and tools from the usual chat format. */
export function toCounter(given: TokenCounter | ((text: string) => number)): TokenCounter {
  if (typeof given !== "function") return given;
  let counter = madeOf.get(given);
  if (counter === undefined) {
    counter = new FunctionCounter(given);
    madeOf.set(given, counter);
  }
  return counter;
}

class FunctionCounter extends ChatCounter {
  readonly name: string;
  readonly exact = false;
  readonly #countText: (text: string) => number;

  constructor(countText: (text: string) => number) {
    super(defaultFamily);
    this.#countText = countText;
    this.name = countText.name || "counter";
  }

  protected measure(text: string): number {
    const tokens = this.#countText(text);
    if (!Number.isFinite(tokens) || tokens < 0)
      throw new TypeError(`${this.name} returned ${tokens}, not a number of tokens`);
    return Math.ceil(tokens);
  }
}
