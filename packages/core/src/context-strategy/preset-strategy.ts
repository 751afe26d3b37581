import { MidfoldError } from "../errors/midfold-error.ts";
import { attemptFold, foldSync } from "../fold/fold-sync.ts";
import { readConversation } from "../fold/read-conversation.ts";
import { spanMessages, startFold } from "../fold/start-fold.ts";
import { frameText, textRoom, writeDigests } from "../fold/write-frames.ts";
import { detectFormat } from "../formats/detect-format.ts";
import type { Preset } from "../presets/preset.ts";
import { presets } from "../presets/presets.ts";
import { runSummary } from "../summary/run-summary.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { type ContextState, isStateValid } from "./context-state.ts";
import type { ContextResult, ContextStrategy } from "./context-strategy.ts";

export interface PresetStrategyOptions {
  /** The clock, for `compressedAt`. */
  readonly now: () => Date;
  readonly counter?: TokenCounter;
  readonly maxSummaryTokens?: number;
}

/** One of R3's strategies: a name, three numbers and a preset of the engine. */
export class PresetStrategy implements ContextStrategy {
  readonly name: string;
  readonly preserveTop: number;
  readonly preserveBottom: number;
  readonly compressionThreshold: number;
  readonly #preset: Preset;
  readonly #counter: TokenCounter;
  readonly #options: PresetStrategyOptions;

  constructor(preset: Preset, compressionThreshold: number, options: PresetStrategyOptions) {
    this.name = preset.name;
    this.preserveTop = preset.head.messages ?? 0;
    this.preserveBottom = preset.tail.messages ?? 0;
    this.compressionThreshold = compressionThreshold;
    this.#preset = preset;
    this.#counter = options.counter ?? getCounter("gpt-4o");
    this.#options = options;
  }

  needsCompression(messages: readonly unknown[], maxContextTokens: number): boolean {
    assertInput(messages, maxContextTokens);
    if (this.#preset.rungs.length === 0 || messages.length <= this.preserveTop + this.preserveBottom) return false;
    return this.#tokens(messages) > Math.floor(maxContextTokens * this.compressionThreshold);
  }

  buildContext<Wire>(
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): ContextResult<Wire> {
    if (!this.needsCompression(messages, maxContextTokens)) return this.#whole(messages, maxContextTokens);
    const valid = this.#valid(cached, messages.length);
    return this.#build(messages, maxContextTokens, valid?.summary, valid === undefined);
  }

  async buildContextWith<Wire>(
    model: Summarizer,
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): Promise<ContextResult<Wire>> {
    if (!this.needsCompression(messages, maxContextTokens)) return this.#whole(messages, maxContextTokens);
    const valid = this.#valid(cached, messages.length);
    if (valid !== undefined) return this.#build(messages, maxContextTokens, valid.summary, false);
    const middle = messages.slice(this.preserveTop, messages.length - this.preserveBottom);
    return this.#build(messages, maxContextTokens, await this.compress(middle, model), true);
  }

  async compress(messages: readonly unknown[], model: Summarizer): Promise<string> {
    if (messages.length === 0) throw new MidfoldError("VALIDATION_ERROR", "Conversation has no messages.");
    try {
      const { text } = await runSummary({
        summarizer: model,
        messages: detectFormat(messages).decode(messages, { onInvalid: "skip" }),
        counter: this.#counter,
        maxTokens: this.#options.maxSummaryTokens ?? this.#preset.maxFrameTokens,
        prompt: { template: "excerpt" },
        policy: { fallback: "throw", ledgerShare: 0 },
        now: () => this.#options.now().getTime(),
        sleep: () => Promise.resolve(),
      });
      return text;
    } catch (cause) {
      throw new MidfoldError("SERVICE_UNAVAILABLE", "The model gave no usable summary; nothing was changed.", {
        cause,
      });
    }
  }

  #valid(cached: ContextState | undefined, messageCount: number): ContextState | undefined {
    const { name: strategy, preserveTop, preserveBottom } = this;
    return isStateValid(cached, { strategy, preserveTop, preserveBottom, messageCount }) ? cached : undefined;
  }

  #whole<Wire>(messages: readonly Wire[], budget: number): ContextResult<Wire> {
    const result = foldSync(messages, {
      counter: this.#counter,
      budget,
      preset: presets["full-history"],
      onInvalid: "skip",
    });
    return { messages: result.messages, summaryUsed: false, tokensUsed: this.#tokens(messages) };
  }

  #build<Wire>(
    messages: readonly Wire[],
    budget: number,
    summary: string | undefined,
    isNew: boolean,
  ): ContextResult<Wire> {
    const options = {
      counter: this.#counter,
      budget,
      window: budget,
      preset: this.#preset,
      force: true,
      onInvalid: "skip",
    } as const;
    const result = attemptFold(startFold(readConversation(messages, options), undefined), (job) => {
      if (summary === undefined) return writeDigests(job);
      return job.plan.spans.map((span) => {
        const covered = spanMessages(job, span);
        const text = this.#counter.take(summary, textRoom(job, span, covered, "summary"));
        return { text, frame: text === "" ? "" : frameText(job, covered, text, "summary"), by: "summary" };
      });
    });
    const made = summary ?? result.state?.texts.join("\n") ?? "";
    const newState: ContextState = {
      strategy: this.name,
      summary: made,
      summaryRange: [this.preserveTop, messages.length - this.preserveBottom],
      compressedAt: this.#options.now().toISOString(),
    };
    return {
      messages: result.messages,
      summaryUsed: result.plan.spans.length > 0,
      tokensUsed: result.tokens.after,
      ...(isNew && made !== "" ? { newState } : {}),
    };
  }

  #tokens(messages: readonly unknown[]): number {
    return this.#counter.countMessages(detectFormat(messages).decode(messages, { onInvalid: "skip" }));
  }
}

function assertInput(messages: readonly unknown[], maxContextTokens: number): void {
  if (!(maxContextTokens > 0)) throw new MidfoldError("VALIDATION_ERROR", "Context limit must be positive.");
  if (messages.length === 0) throw new MidfoldError("VALIDATION_ERROR", "Conversation has no messages.");
}
