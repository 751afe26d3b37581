import { MidfoldError } from "../errors/midfold-error.ts";
import { readTools, type ToolsInput } from "../formats/read-tools.ts";
import { type Message, textMessage } from "../message/message.ts";
import { getCounter } from "./get-counter.ts";
import type { TokenCounter } from "./token-counter.ts";
import type { ToolChoice } from "./tool-choice.ts";

export interface CountTokensOptions {
  /** Whose rules apply; or give a `counter`. */
  readonly model?: string;
  readonly counter?: TokenCounter;
  /** A system prompt that travels beside the messages. */
  readonly system?: string | readonly Message[];
  /** In the shape of any SDK. */
  readonly tools?: ToolsInput;
  readonly toolChoice?: ToolChoice;
}

/**
 * The tokens of a text, or of a request: messages of any known format, with system prompt and tools.
 *
 * @example
 * countTokens("Hello, world!", { model: "gpt-4o" }); // 4
 * countTokens([{ role: "user", content: "Hello" }], { model: "gpt-4o" }); // with the overhead of a request
 */
export function countTokens(input: string | readonly object[], options: CountTokensOptions): number {
  const { model, system, tools, toolChoice } = options;
  if (options.counter === undefined && model === undefined) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      'countTokens needs { model: "…" } or a counter: models count differently.',
    );
  }
  const counter = options.counter ?? getCounter(model ?? "");
  if (typeof input === "string") return counter.count(input);
  let tokens = counter.countMessages(input);
  if (typeof system === "string") {
    tokens += counter.countMessage(textMessage("system", system));
  } else for (const message of system ?? []) tokens += counter.countMessage(message);
  return tools === undefined ? tokens : tokens + counter.countTools(readTools(tools), toolChoice);
}
