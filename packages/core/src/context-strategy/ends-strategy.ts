import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import { assertWindow } from "../budget/assert-window.ts";
import { needsSandwich } from "../budget/sandwich-trigger.ts";
import { digest } from "../digest/digest.ts";
import { frame, isFrame } from "../digest/frame.ts";
import { assertShare, assertWhole } from "../errors/assert-number.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import type { Warn } from "../errors/warning.ts";
import { detectFormat } from "../formats/detect-format.ts";
import type { Format } from "../formats/format.ts";
import type { Message } from "../message/message.ts";
import { frameLines } from "../plan/frame-lines.ts";
import { lastSide, speakerOf } from "../plan/turns.ts";
import { runSummary } from "../summary/run-summary.ts";
import { serializeHistory } from "../summary/serialize-history.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { type ContextState, isStateValid } from "./context-state.ts";
import type { ContextResult, ContextStrategy } from "./context-strategy.ts";

export interface ContextStrategyOptions {
  /** A counter, or its name for `getCounter`: a model's, or `"len/4"` for the document's estimate. Default `"gpt-4o"`. */
  readonly counter?: TokenCounter | string;
  readonly maxSummaryTokens?: number;
  /** The clock, for `compressedAt`. */
  readonly now?: () => Date;
  /** Told of messages of no known shape: they are not counted, and not sent once the conversation is compressed. */
  readonly warn?: Warn;
}

/** What sets these strategies apart. */
export interface Ends {
  readonly name: string;
  readonly preserveTop: number;
  readonly preserveBottom: number;
  readonly compressionThreshold: number;
  /** What becomes of the messages between the ends. */
  readonly middle: "summary" | "nothing" | "stays";
  /** The middle is summarized in chunks of so many messages, then the summaries, at most this many levels. */
  readonly tree?: { readonly chunkSize: number; readonly levels: number };
}

/** A summary gets at least this much room, however little the ends leave. */
const leastSummary = 64;
/** And one of several that stand side by side at least this much. */
const leastPart = 16;

/** Both ends of the conversation stay as they are, and one system message stands for the middle. */
export class EndsStrategy implements ContextStrategy {
  readonly name: string;
  readonly preserveTop: number;
  readonly preserveBottom: number;
  readonly compressionThreshold: number;
  readonly #ends: Ends;
  readonly #counter: TokenCounter;
  readonly #maxSummaryTokens: number;
  readonly #now: () => Date;
  readonly #warn: Warn | undefined;

  constructor(
    ends: Ends,
    { counter = "gpt-4o", maxSummaryTokens = 2000, now = () => new Date(), warn }: ContextStrategyOptions,
  ) {
    assertWhole("maxSummaryTokens", maxSummaryTokens, 1);
    assertShare("compressionThreshold", ends.compressionThreshold);
    this.name = ends.name;
    this.preserveTop = ends.preserveTop;
    this.preserveBottom = ends.preserveBottom;
    this.compressionThreshold = ends.compressionThreshold;
    this.#ends = ends;
    this.#counter = typeof counter === "string" ? getCounter(counter) : counter;
    this.#maxSummaryTokens = maxSummaryTokens;
    this.#now = now;
    this.#warn = warn;
  }

  needsCompression(messages: readonly unknown[], maxContextTokens: number): boolean {
    return this.#needs(this.#read(messages, maxContextTokens), maxContextTokens);
  }

  buildContext<Wire>(
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): ContextResult<Wire> {
    const cut = this.#cut(messages, cached, maxContextTokens);
    if ("result" in cut) return cut.result;
    const steps = this.#steps(cut.middle);
    let step = steps.next();
    while (step.done !== true) step = steps.next(this.#digest(step.value.messages, roomOf(step.value, cut.room)));
    return this.#put(cut, step.value, true);
  }

  async buildContextWith<Wire>(
    model: Summarizer,
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): Promise<ContextResult<Wire>> {
    const cut = this.#cut(messages, cached, maxContextTokens);
    if ("result" in cut) return cut.result;
    return this.#put(cut, await this.#summarize(cut.middle, model, cut.room), true);
  }

  compress(messages: readonly unknown[], model: Summarizer): Promise<string> {
    return this.#summarize(this.#decode(messages).decoded, model, this.#maxSummaryTokens);
  }

  #read<Wire>(messages: readonly Wire[], maxContextTokens: number): Read {
    assertWindow(maxContextTokens);
    const read = this.#decode(messages);
    if (read.decoded.length === 0) throw noMessages();
    return { ...read, tokens: this.#counter.countMessages(read.decoded) };
  }

  #decode(messages: readonly unknown[]): Omit<Read, "tokens"> {
    const format = detectFormat(messages);
    const warn = this.#warn;
    return { format, decoded: format.decode(messages, { onInvalid: "skip", ...(warn === undefined ? {} : { warn }) }) };
  }

  #needs({ decoded, tokens }: Read, window: number): boolean {
    const { preserveTop, preserveBottom, compressionThreshold: threshold } = this;
    if (this.#ends.middle === "stays") return false;
    return needsSandwich({ window, tokens, messages: decoded.length, preserveTop, preserveBottom, threshold });
  }

  /** The conversation in three parts, or the result where nothing has to be written. */
  #cut<Wire>(
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): Cut | { readonly result: ContextResult<Wire> } {
    const read = this.#read(messages, maxContextTokens);
    const { decoded, tokens } = read;
    const whole = { result: { messages, summaryUsed: false, tokensUsed: tokens } };
    if (!this.#needs(read, maxContextTokens)) return whole;
    const { preserveTop, preserveBottom } = this;
    const { top, middle, bottom } = splitAt(decoded, preserveTop, decoded.length - preserveBottom);
    if (middle.length === 0) return whole;
    if (this.#ends.middle === "nothing") {
      const kept = [...top, ...bottom];
      const sent = kept.map((message) => message.source) as Wire[];
      return { result: { messages: sent, summaryUsed: false, tokensUsed: this.#counter.countMessages(kept) } };
    }
    const ends = this.#counter.countMessages([...top, ...bottom]);
    const left = Math.floor(maxContextTokens * this.compressionThreshold) - ends;
    const room = Math.max(leastSummary, Math.min(this.#maxSummaryTokens, left));
    const cut = { format: read.format, top, middle, bottom, room, messageCount: decoded.length };
    const use = { strategy: this.name, preserveTop, preserveBottom, messageCount: decoded.length };
    return isStateValid(cached, use) ? { result: this.#put(cut, cached.summary, false) } : cut;
  }

  /** Top, the summary as a system message, bottom. Where the format knows no such message, it is a user's or assistant's. */
  #put<Wire>({ format, top, middle, bottom, messageCount }: Cut, summary: string, isNew: boolean): ContextResult<Wire> {
    const text = frame({ kind: "summary", text: summary, covers: middle.length, style: "bracketed" });
    const { traits } = format;
    const before = lastSide(top, traits);
    const lines = frameLines({ text, before, after: speakerOf(bottom[0]), traits, role: "system" });
    const said = lines.map((line): Message => ({ role: line.role, parts: [{ type: "text", text: line.text }] }));
    const sent = [
      ...top.map((message) => message.source),
      ...said.map((message) => format.encode(message)),
      ...bottom.map((message) => message.source),
    ] as Wire[];
    const tokensUsed = this.#counter.countMessages([...top, ...said, ...bottom]);
    if (!isNew) return { messages: sent, summaryUsed: true, tokensUsed };
    const newState: ContextState = {
      strategy: this.name,
      summary,
      summaryRange: [this.preserveTop, messageCount - this.preserveBottom],
      compressedAt: this.#now().getTime(),
    };
    return { messages: sent, summaryUsed: true, tokensUsed, newState };
  }

  /**
   * What has to be summarized, one stretch after the other; each is answered with its text. Without a tree that is the
   * whole. With one: every chunk, then chunks of the texts, until one text is left or the levels are used up.
   */
  *#steps(messages: readonly Message[]): Generator<Step, string, string> {
    const { chunkSize, levels } = this.#ends.tree ?? { chunkSize: messages.length, levels: 1 };
    let level = messages;
    for (let depth = 1; ; depth++) {
      const texts: string[] = [];
      const parts = depth < levels ? 1 : Math.ceil(level.length / chunkSize);
      for (let start = 0; start < level.length; start += chunkSize) {
        texts.push(yield { messages: level.slice(start, start + chunkSize), parts });
      }
      if (texts.length === 1 || depth >= levels) return texts.join("\n\n");
      level = texts.map((text) => ({ role: "user", parts: [{ type: "text", text }] }));
    }
  }

  async #summarize(messages: readonly Message[], model: Summarizer, maxTokens: number): Promise<string> {
    if (messages.length === 0) throw noMessages();
    try {
      const steps = this.#steps(messages);
      let step = steps.next();
      while (step.done !== true) {
        step = steps.next(await this.#ask(step.value.messages, model, roomOf(step.value, maxTokens)));
      }
      return step.value;
    } catch (cause) {
      throw new MidfoldError("SERVICE_UNAVAILABLE", "The model gave no usable summary; nothing was changed.", {
        cause,
      });
    }
  }

  async #ask(messages: readonly Message[], model: Summarizer, maxTokens: number): Promise<string> {
    const { text } = await runSummary({
      summarizer: model,
      messages,
      counter: this.#counter,
      maxTokens,
      prompt: { template: "excerpt" },
      policy: { fallback: "throw", ledgerShare: 0, mustShrink: false },
      now: () => this.#now().getTime(),
      sleep: () => Promise.resolve(),
    });
    return text;
  }

  /** Without a model: the digest, or where it finds nothing worth keeping, the start of what was said. */
  #digest(messages: readonly Message[], maxTokens: number): string {
    const { text } = digest(messages, { counter: this.#counter, maxTokens });
    return text === "" ? serializeHistory(messages, { counter: this.#counter, maxTokens }).text : text;
  }
}

interface Read {
  readonly format: Format;
  readonly decoded: readonly Message[];
  readonly tokens: number;
}

interface Cut {
  readonly format: Format;
  readonly top: readonly Message[];
  readonly middle: readonly Message[];
  readonly bottom: readonly Message[];
  /** Tokens the summary may have. */
  readonly room: number;
  readonly messageCount: number;
}

interface Step {
  readonly messages: readonly Message[];
  /** How many texts will stand side by side in the summary. */
  readonly parts: number;
}

/** Texts that stand side by side share the room of one summary. */
function roomOf({ parts }: Step, room: number): number {
  return parts === 1 ? room : Math.max(leastPart, Math.floor(room / parts));
}

/**
 * The first messages, the last ones, and what is between. A tool exchange over a boundary belongs to its end whole;
 * pinned messages and instructions in the middle stay too, after the summary.
 */
function splitAt(messages: readonly Message[], from: number, to: number) {
  const atoms = groupAtoms(messages, new Array(messages.length).fill(0), matchToolPairs(messages));
  const top: Message[] = [];
  const middle: Message[] = [];
  const bottom: Message[] = [];
  for (const { first, last } of atoms) {
    const whole = messages.slice(first, last + 1);
    const instructs = whole.some(({ role }, index) => role === "system" && !isFrame(whole[index]!));
    if (first < from) top.push(...whole);
    else if (last >= to || instructs || whole.some((message) => message.pinned === true)) bottom.push(...whole);
    else middle.push(...whole);
  }
  return { top, middle, bottom };
}

function noMessages(): MidfoldError {
  return new MidfoldError("VALIDATION_ERROR", "Conversation has no messages");
}
