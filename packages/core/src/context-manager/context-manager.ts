import { ContextTracker } from "../budget/context-tracker.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import { fold } from "../fold/fold.ts";
import type { FoldOptions } from "../fold/fold-options.ts";
import { foldSync } from "../fold/fold-sync.ts";
import { detectFormat } from "../formats/detect-format.ts";
import type { FormatName } from "../formats/format.ts";
import type { ToolDefinition } from "../message/message.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { presets } from "../presets/presets.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { ContextCompactor } from "./context-compactor.ts";
import { strategyFor, TruncationMode } from "./truncation-mode.ts";
import { type TruncationStrategy, truncationPreset, withLastResort } from "./truncation-strategy.ts";

export interface ContextManagerOptions {
  readonly strategy?: TruncationStrategy;
  readonly tools?: readonly ToolDefinition[];
  /** Share (0–1) of the available tokens above which `compactIfNeeded` acts. Default 0.8. */
  readonly compactionThreshold?: number;
  /** Share (0–1) of the window the context may take at most. Default 1. */
  readonly maxContextPercent?: number;
  readonly format?: FormatName;
}

/** What a manager can be rebuilt from. */
export interface ContextSnapshot<Wire> {
  readonly messages: readonly Wire[];
  readonly systemPrompt?: string;
  readonly state?: FoldRecord;
}

/**
 * R2 FR-5: keeps the messages of one session and hands out what fits. Nothing is lost: `history` keeps every message
 * ever added; only what is sent is truncated.
 */
export class ContextManager<Wire = { role: string; content: unknown }> {
  readonly model: string;
  readonly mode: TruncationMode;
  readonly tracker: ContextTracker;
  readonly strategy: TruncationStrategy;
  readonly compactor: ContextCompactor | undefined;
  readonly #options: ContextManagerOptions;
  readonly #llm: Summarizer | undefined;
  #history: Wire[] = [];
  #systemPrompt: string | undefined;
  #state: FoldRecord | undefined;

  constructor(
    model: string,
    mode: TruncationMode = TruncationMode.SMART,
    llm?: Summarizer,
    options: ContextManagerOptions = {},
  ) {
    if (!Object.values(TruncationMode).includes(mode)) {
      const known = Object.values(TruncationMode).join(", ");
      throw new MidfoldError("VALIDATION_ERROR", `There is no truncation mode "${mode}". Known: ${known}.`);
    }
    this.model = model;
    this.mode = mode;
    this.#llm = llm;
    this.#options = options;
    this.tracker = new ContextTracker(model);
    this.strategy = options.strategy ?? strategyFor(mode);
    this.compactor = llm === undefined ? undefined : new ContextCompactor(llm);
  }

  /** Adds a message; a message of no known shape is skipped, as R2 asks, and the return value says so. */
  addMessage(message: Wire): boolean {
    const candidate = [message];
    const format = this.#history.length === 0 ? this.#options.format : this.#format();
    if (
      detectFormat(candidate, { format: format ?? "openai-chat" }).decode(candidate, { onInvalid: "skip" }).length === 0
    ) {
      return false;
    }
    this.#history = [...this.#history, message];
    this.#track();
    return true;
  }

  /** What would be sent now, without the system prompt. */
  getMessages(): readonly Wire[] {
    return this.#fold().messages;
  }

  /** Every message ever added, untouched. */
  get history(): readonly Wire[] {
    return this.#history;
  }

  setSystemPrompt(prompt: string): void {
    this.#systemPrompt = prompt;
  }

  /** The messages of the next request, the system prompt first. Never over the model's limit. */
  getContextForRequest(): readonly (Wire | { role: "system"; content: string })[] {
    const messages = this.getMessages();
    if (this.#systemPrompt === undefined) return messages;
    return [{ role: "system", content: this.#systemPrompt }, ...messages];
  }

  /** Summarizes old messages when usage is over the threshold. True when it did. A failed summary leaves truncation. */
  async compactIfNeeded(): Promise<boolean> {
    const threshold = this.#options.compactionThreshold ?? 0.8;
    // Truncation may already hide the pressure: what counts is the history that no summary stands for yet.
    const { tokens } = this.#fold();
    const usage = this.#state?.preset === "manager" ? tokens.after : tokens.before;
    if (usage <= this.#budget() * threshold) return false;
    const preset = { ...presets.agent, name: "manager", replace: "summary" } as const;
    const result = await fold(this.#history, {
      ...this.#shared(),
      preset,
      force: true,
      ...(this.#llm === undefined ? {} : { summarizer: this.#llm }),
      ...(this.#state?.preset === "manager" ? { state: this.#state } : {}),
    });
    if (result.state === undefined || result.tokens.after >= result.tokens.before) return false;
    this.#state = result.state;
    this.#track();
    return true;
  }

  /** Tokens the next request takes: system prompt, tools and messages. */
  get tokenUsage(): number {
    return this.#fold().tokens.after;
  }

  get availableTokens(): number {
    return Math.max(0, this.#budget() - this.tokenUsage);
  }

  reset(): void {
    this.#history = [];
    this.#state = undefined;
    this.tracker.update([]);
  }

  /** For a session store (FR-5.2): everything needed to go on later. */
  snapshot(): ContextSnapshot<Wire> {
    return {
      messages: this.#history,
      ...(this.#systemPrompt === undefined ? {} : { systemPrompt: this.#systemPrompt }),
      ...(this.#state === undefined ? {} : { state: this.#state }),
    };
  }

  restore({ messages, systemPrompt, state }: ContextSnapshot<Wire>): void {
    this.#history = [...messages];
    this.#systemPrompt = systemPrompt;
    this.#state = state;
    this.#track();
  }

  #track(): void {
    const messages = this.getMessages();
    this.tracker.update(detectFormat(messages).decode(messages, { onInvalid: "skip" }));
  }

  #fold() {
    const compacted = this.#state?.preset === "manager";
    const result = foldSync(this.#history, {
      ...this.#shared(),
      preset: compacted ? { ...presets.agent, name: "manager" } : truncationPreset,
      ...(compacted ? {} : { rungs: withLastResort(this.strategy.rungs) }),
      ...(this.#state === undefined ? {} : { state: this.#state }),
    });
    this.#state = result.state ?? this.#state;
    return result;
  }

  #shared() {
    const options: FoldOptions = {
      model: this.model,
      budget: this.#budget(),
      counter: this.tracker.counter,
      onInvalid: "skip",
      format: this.#format(),
      ...(this.#systemPrompt === undefined ? {} : { system: this.#systemPrompt }),
      ...(this.#options.tools === undefined ? {} : { tools: this.#options.tools }),
    };
    return options;
  }

  #budget(): number {
    const { maxTokens, maxOutputTokens, reservedTokens } = this.tracker.limits;
    const share = this.#options.maxContextPercent ?? 1;
    return Math.max(1, Math.floor(Math.min(maxTokens * share, maxTokens - maxOutputTokens - reservedTokens)));
  }

  #format(): FormatName {
    return this.#options.format ?? detectFormat(this.#history).name;
  }
}
