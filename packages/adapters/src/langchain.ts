import {
  type BaseMessage,
  type BaseMessageLike,
  coerceMessageLikeToMessage,
  HumanMessage,
  isBaseMessage,
} from "@langchain/core/messages";
import { type FoldResult, fold, getCounter, type Message, MidfoldError, type TokenCounter } from "@midfold/core";
import { createMiddleware } from "langchain";
import { createFoldRequest, type MidfoldOptions } from "./fold-request.ts";

export type { MidfoldOptions } from "./fold-request.ts";

/**
 * Middleware for `createAgent`: the model always gets messages that fit, and the agent's state keeps all of them.
 *
 * @example createAgent({ model, tools, middleware: [midfold()] });
 */
export function midfold(options: MidfoldOptions = {}): ReturnType<typeof createMiddleware> {
  const foldRequest = createFoldRequest(options);
  return createMiddleware({
    name: "midfold",
    wrapModelCall: async (request, handler) => {
      const { messages, changed } = await foldRequest(request.messages, {
        model: nameOf(request.model),
        format: "langchain",
        system: request.systemMessage.text,
        tools: request.tools as readonly object[],
      });
      return handler(changed ? { ...request, messages: messages.map(toInstance) } : request);
    },
  });
}

/** The options of LangChain's `trimMessages` that are supported here. */
export interface TrimMessagesOptions extends MidfoldOptions {
  readonly maxTokens: number;
  /** LangChain's: a model, or a function that counts a list and returns at once. Midfold's own counter by default. */
  readonly tokenCounter?: ((messages: BaseMessage[]) => number | Promise<number>) | object;
  /** Only `last`: the oldest messages are left out first. */
  readonly strategy?: "last";
  /** The system prompt always stays. */
  readonly includeSystem?: true;
  /** Accepted and ignored: messages always start in a way that providers accept. */
  readonly startOn?: string | readonly string[];
}

/**
 * In place of LangChain's `trimMessages`: no call without its result, no lost system prompt, and what is left out leaves a
 * digest (or a summary, with a `summarizer`) behind.
 *
 * @example const fitted = await trimMessages(messages, { maxTokens: 8_000 });
 */
export async function trimMessages(messages: BaseMessage[], options: TrimMessagesOptions): Promise<BaseMessage[]> {
  const { maxTokens, tokenCounter, strategy, includeSystem, startOn: _, onFold, ...rest } = options;
  if ((strategy as string | undefined) === "first") {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      'trimMessages keeps the newest messages; strategy "first" is LangChain\'s.',
    );
  }
  if ((includeSystem as boolean | undefined) === false) {
    throw new MidfoldError("VALIDATION_ERROR", "trimMessages always keeps the system prompt; leave includeSystem out.");
  }
  const counting =
    typeof tokenCounter === "function"
      ? { counter: counterOf(tokenCounter as CountList) }
      : tokenCounter === undefined
        ? {}
        : { model: nameOf(tokenCounter) ?? "gpt-4o" };
  const result: FoldResult<BaseMessage> = await fold(messages, {
    ...counting,
    ...rest,
    format: "langchain",
    budget: maxTokens,
  });
  onFold?.(result);
  return result.changed ? result.messages.map(toInstance) : messages;
}

type CountList = (messages: BaseMessage[]) => number | Promise<number>;

/** Makes LangChain's list counter a counter of ours. */
function counterOf(count: CountList): TokenCounter {
  const base = getCounter("gpt-4o");
  const list = (messages: BaseMessage[]): number => {
    const tokens = count(messages);
    if (typeof tokens === "number") return tokens;
    throw new MidfoldError(
      "VALIDATION_ERROR",
      'tokenCounter must count at once. For a model, pass the model itself or `model: "its name"`.',
    );
  };
  // Called once before the fold: the fold itself would treat a counter that throws as broken and estimate instead.
  list([new HumanMessage("a")]);
  const text = (words: string) => list([new HumanMessage(words)]);
  const shorten = (words: string, max: number, cut: (words: string, tokens: number) => string): string => {
    let kept = words;
    for (let room = max; kept !== "" && text(kept) > max; room = Math.floor(room * 0.8) - 1)
      kept = cut(kept, Math.max(0, room));
    return kept;
  };
  const one = (message: Message | object) => list([toLangchain(message)]);
  return {
    name: "langchain",
    exact: true,
    count: text,
    countMessage: one,
    countMessages: (messages) => messages.reduce((sum, message) => sum + one(message), 0),
    countTools: (tools, choice) => base.countTools(tools, choice),
    take: (words, max) => shorten(words, max, (from, room) => base.take(from, room)),
    takeLast: (words, max) => shorten(words, max, (from, room) => base.takeLast(from, room)),
  };
}

/** A message of the engine as LangChain's; the original where nothing changed it. */
function toLangchain(message: Message | object): BaseMessage {
  if (isBaseMessage(message)) return message;
  if (!("parts" in message)) return coerceMessageLikeToMessage(message as BaseMessageLike);
  const { source } = message;
  if (isBaseMessage(source)) return source;
  const words = message.parts.flatMap((part) =>
    part.type === "text"
      ? [part.text]
      : part.type === "tool-result"
        ? part.content.map((inner) => (inner.type === "text" ? inner.text : ""))
        : [],
  );
  return new HumanMessage(words.join("\n"));
}

/** Messages made by a fold are plain objects; LangGraph's state and some models need instances. */
function toInstance(message: BaseMessage): BaseMessage {
  return isBaseMessage(message) ? message : coerceMessageLikeToMessage(message);
}

/** The name of a chat model, in the fields that LangChain's integrations use. */
function nameOf(model: unknown): string | undefined {
  const { model: name, modelName, modelId } = (model ?? {}) as Readonly<Record<string, unknown>>;
  return [name, modelName, modelId].find((value): value is string => typeof value === "string");
}
