import { ContextBudget } from "../budget/context-budget.ts";
import type { ContextLimits } from "../budget/context-limits.ts";
import { ContextTracker } from "../budget/context-tracker.ts";
import { assertShare } from "../errors/assert-number.ts";
import { isMidfoldError, MidfoldError } from "../errors/midfold-error.ts";
import type { Warn } from "../errors/warning.ts";
import { fold } from "../fold/fold.ts";
import { detectFormat } from "../formats/detect-format.ts";
import type { FormatName } from "../formats/format.ts";
import type { Message, ToolDefinition } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import type { SummarizeFunction, Summarizer } from "../summary/summarizer.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { ContextCompactor, type ContextCompactorOptions } from "./context-compactor.ts";
import { strategyFor, TruncationMode } from "./truncation-mode.ts";
import { sizeOf, type TruncationStrategy, truncateWith } from "./truncation-strategy.ts";

export interface ContextManagerOptions {
  /** Instead of the mode's own. A strategy of your own needs only `truncate`. */
  readonly strategy?: TruncationStrategy;
  readonly tools?: readonly ToolDefinition[];
  /** Share (0–1) of the available tokens above which `compactIfNeeded` acts. Default 0.8. */
  readonly compactionThreshold?: number;
  /** Share (0–1) of the window the context may take at most. Default 1. */
  readonly maxContextPercent?: number;
  /** The model's limits, where the caller knows them better: `new ContextLimits({ … })`, or `ContextLimits.forModel`. */
  readonly limits?: ContextLimits;
  readonly counter?: TokenCounter;
  readonly compactor?: ContextCompactorOptions;
  readonly format?: FormatName;
  /** Told of messages that are skipped, and of counts, limits and summaries that had to be replaced. */
  readonly warn?: Warn;
}

/** What a manager can be rebuilt from. */
export interface ContextSnapshot<Wire> {
  readonly messages: readonly Wire[];
  readonly systemPrompt?: string;
  /** The messages with what compaction made of them; the same as `messages` before the first. */
  readonly compacted?: readonly Wire[];
  /** What would be sent now. */
  readonly sent?: readonly Wire[];
}

/** Share of the available tokens above which `compactIfNeeded` acts. */
const defaultThreshold = 0.8;
/** Less room than this holds no message. */
const leastRoom = 16;

/**
 * Keeps the messages of one session and hands out what fits. Nothing is lost: `history` keeps every message
 * ever added; only what is sent is truncated. Adding a message costs what the message and the window cost, however long
 * the history is.
 *
 * @example
 * const manager = new ContextManager("gpt-4o", TruncationMode.SMART);
 * manager.addMessage({ role: "user", content: "Hello" });
 * const messages = manager.getMessages();
 */
export class ContextManager<Wire extends object = { role: string; content: unknown }> {
  readonly model: string;
  readonly mode: TruncationMode;
  readonly tracker: ContextTracker;
  readonly strategy: TruncationStrategy;
  readonly compactor: ContextCompactor | undefined;
  readonly #options: ContextManagerOptions;
  #history: Wire[] = [];
  /** The history as compaction left it, and what came since: the next compaction reads it. */
  #compacted: Wire[] = [];
  #compactedTokens = 0;
  #sent: Wire[] = [];
  #compacting: Promise<boolean> | undefined;
  #systemPrompt: string | undefined;
  #budget: ContextBudget;

  constructor(
    model: string,
    mode: TruncationMode = TruncationMode.SMART,
    llm?: Summarizer | SummarizeFunction,
    options: ContextManagerOptions = {},
  ) {
    if (!Object.values(TruncationMode).includes(mode)) {
      const known = Object.values(TruncationMode).join(", ");
      throw new MidfoldError("VALIDATION_ERROR", `There is no truncation mode "${mode}". Known: ${known}.`);
    }
    assertShare("compactionThreshold", options.compactionThreshold ?? defaultThreshold);
    assertShare("maxContextPercent", options.maxContextPercent ?? 1);
    this.model = model;
    this.mode = mode;
    this.#options = options;
    const { limits, counter, warn } = options;
    this.tracker = new ContextTracker(model, {
      ...(limits === undefined ? {} : { limits }),
      ...(counter === undefined ? {} : { counter }),
      ...(warn === undefined ? {} : { warn }),
    });
    this.strategy = options.strategy ?? strategyFor(mode);
    this.compactor = llm === undefined ? undefined : new ContextCompactor(llm, options.compactor);
    this.#budget = this.#share(undefined);
  }

  /** How the window is shared out between system prompt, tools, reply and conversation. */
  get budget(): ContextBudget {
    return this.#budget;
  }

  /** Adds a message and truncates what is sent if needed. A message of no known shape is skipped, and the answer is false. */
  addMessage(message: Wire): boolean {
    const decoded = this.#read(message);
    if (decoded === undefined) return false;
    const { counter, currentTokens } = this.tracker;
    const tokens = counter.countMessage(decoded);
    const room = this.#budget.available;
    if (currentTokens + tokens + counter.countMessages([]) <= room) {
      this.#sent.push(message);
      this.tracker.addMessage(decoded);
    } else {
      // Truncated before anything is kept: what cannot be sent is not added.
      this.#send(truncateWith([this.strategy], [...this.#sent, message], room, counter));
      if (this.#sent.at(-1) !== message) this.#warnClipped(tokens, room);
    }
    this.#history.push(message);
    this.#compacted.push(message);
    this.#compactedTokens += tokens;
    return true;
  }

  /** What would be sent now, without the system prompt. */
  getMessages(): readonly Wire[] {
    return [...this.#sent];
  }

  /** Every message ever added, untouched. */
  get history(): readonly Wire[] {
    return this.#history;
  }

  /** Sets the system prompt, which no truncation touches. Throws CONTEXT_OVERFLOW when it leaves no room for messages. */
  setSystemPrompt(prompt: string): void {
    const budget = this.#share(prompt);
    const sent = truncateWith([this.strategy], this.#sent, budget.available, this.tracker.counter);
    this.#budget = budget;
    this.#systemPrompt = prompt;
    this.#send(sent);
  }

  /** The messages of the next request, the system prompt first. Never over the model's limit. */
  getContextForRequest(): readonly (Wire | { role: "system"; content: string })[] {
    if (this.#systemPrompt === undefined) return this.getMessages();
    return [{ role: "system", content: this.#systemPrompt }, ...this.#sent];
  }

  /**
   * Summarizes old messages when what no summary stands for yet is over the threshold. True when that made the context
   * smaller. When the model fails, the digest stands in; without a model it is what is used. The session goes on meanwhile:
   * messages may be added, and who asks again hears of the compaction that runs.
   */
  compactIfNeeded(): Promise<boolean> {
    this.#compacting ??= this.#compact().finally(() => {
      this.#compacting = undefined;
    });
    return this.#compacting;
  }

  async #compact(): Promise<boolean> {
    const threshold = this.#options.compactionThreshold ?? defaultThreshold;
    const budget = this.#budget.available;
    if (this.#compactedTokens <= budget * threshold) return false;
    const { warn, format } = this.#options;
    const before = this.#compacted;
    const read = [...before];
    const tokens = this.#compactedTokens;
    const result = await fold(read, {
      preset: { ...presets.agent, name: "compactor", replace: "summary" },
      onInvalid: "skip",
      ...this.compactor?.foldOptions,
      counter: this.tracker.counter,
      budget,
      target: 0.4,
      force: true,
      ...(format === undefined ? {} : { format }),
    });
    for (const warning of result.warnings) warn?.(warning);
    // Cleared or restored meanwhile: the summary is of another conversation.
    if (result.tokens.after >= tokens || this.#compacted !== before) return false;
    const since = before.slice(read.length);
    this.#compacted = [...result.messages, ...since];
    this.#compactedTokens += result.tokens.after - tokens;
    this.#send(truncateWith([this.strategy], this.#compacted, this.#budget.available, this.tracker.counter));
    return true;
  }

  /** Tokens the next request takes: system prompt, tools and messages. */
  get tokenUsage(): number {
    return this.#budget.systemPrompt + this.#budget.tools + this.tracker.currentTokens;
  }

  /** Tokens that the conversation may still take. */
  get availableTokens(): number {
    return Math.max(0, this.#budget.available - this.tracker.currentTokens);
  }

  /** Clears all messages; the system prompt stays. */
  reset(): void {
    this.#history = [];
    this.#compacted = [];
    this.#compactedTokens = 0;
    this.#send([]);
  }

  /** For a session store: everything needed to go on later. */
  snapshot(): ContextSnapshot<Wire> {
    return {
      messages: [...this.#history],
      compacted: [...this.#compacted],
      sent: [...this.#sent],
      ...(this.#systemPrompt === undefined ? {} : { systemPrompt: this.#systemPrompt }),
    };
  }

  /** Goes on from a snapshot. One without `sent`, such as a plain list from a database, is truncated if needed. */
  restore({ messages, systemPrompt, compacted = messages, sent = compacted }: ContextSnapshot<Wire>): void {
    const budget = this.#share(systemPrompt);
    const fitting = truncateWith([this.strategy], sent, budget.available, this.tracker.counter);
    this.#budget = budget;
    this.#systemPrompt = systemPrompt;
    this.#history = [...messages];
    this.#compacted = [...compacted];
    this.#compactedTokens = sizeOf(compacted, this.tracker.counter);
    this.#send(fitting);
  }

  #send(messages: readonly Wire[]): void {
    this.#sent = [...messages];
    this.tracker.update(messages);
  }

  /** The message as the engine reads it; undefined, with a warning, when it is none. */
  #read(message: Wire): Message | undefined {
    try {
      const { format } = this.#options;
      // Some messages look alike in two formats: the ones before say which it is.
      const list = [...this.#history.slice(-8), message];
      const [decoded] = detectFormat(list, { format }).decode([message], { onInvalid: "skip" });
      if (decoded !== undefined) return decoded;
    } catch (error) {
      if (!isMidfoldError(error, "UNKNOWN_FORMAT")) throw error;
    }
    this.#options.warn?.({
      code: "invalid-message-skipped",
      message: `A message of no known shape was skipped; it came after ${this.#history.length} others.`,
    });
    return undefined;
  }

  #warnClipped(tokens: number, room: number): void {
    this.#options.warn?.({
      code: "context-critically-limited",
      message: `A message of ${tokens} tokens was clipped: only ${room} are left for the conversation.`,
      details: { tokens, room },
    });
  }

  #share(systemPrompt: string | undefined): ContextBudget {
    const { counter, limits } = this.tracker;
    const { tools = [], maxContextPercent: maxContextShare = 1 } = this.#options;
    const prompt: Message = { role: "system", parts: [{ type: "text", text: systemPrompt ?? "" }] };
    const budget = ContextBudget.forLimits(limits, {
      maxContextShare,
      systemPrompt: systemPrompt === undefined ? 0 : counter.countMessage(prompt),
      tools: counter.countTools(tools),
    });
    if (budget.available >= leastRoom) return budget;
    throw new MidfoldError(
      "CONTEXT_OVERFLOW",
      `The system prompt (${budget.systemPrompt} tokens) and the tools (${budget.tools}) leave no room for messages in ` +
        `${budget.total} tokens, of which ${budget.responseReserve} are kept for the reply. Shorten them` +
        `${maxContextShare < 1 ? `, or raise maxContextPercent: it is ${maxContextShare}` : ""}.`,
      { details: { systemPrompt: budget.systemPrompt, tools: budget.tools, total: budget.total } },
    );
  }
}
