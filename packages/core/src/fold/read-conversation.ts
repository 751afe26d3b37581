import type { Atom } from "../atoms/atom.ts";
import type { ToolPairs } from "../atoms/match-tool-pairs.ts";
import { frame, isFrame, parseFrame } from "../digest/frame.ts";
import type { Sign } from "../digest/sign.ts";
import { MidfoldError } from "../errors/midfold-error.ts";
import type { Warn, Warning } from "../errors/warning.ts";
import { detectFormat } from "../formats/detect-format.ts";
import type { Format } from "../formats/format.ts";
import { readTools } from "../formats/read-tools.ts";
import { type Message, textMessage } from "../message/message.ts";
import type { ModelInfo } from "../models/model-info.ts";
import { unknownMaxOutput, unknownWindow } from "../models/unknown-model.ts";
import { frameLines } from "../plan/frame-lines.ts";
import { speakerOf } from "../plan/turns.ts";
import type { Preset } from "../presets/preset.ts";
import { presetOf } from "../presets/preset-of.ts";
import { guardCounter, toCounter } from "../tokens/guard-counter.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { budgetOf, type Limits } from "./budget-of.ts";
import { clipNewResults } from "./clip-new-results.ts";
import type { FoldOptions } from "./fold-options.ts";
import type { Lookups } from "./lookups.ts";
import { readMessages } from "./read-messages.ts";
import type { withRecall } from "./with-recall.ts";

/** A conversation as the engine works on it: decoded once, weighed and hashed only when somebody asks. */
export interface Conversation<Wire> {
  /** As given, with the lines of the previous summary in their place. */
  readonly wire: readonly Wire[];
  readonly given: readonly Wire[];
  readonly format: Format;
  readonly messages: readonly Message[];
  /** Indices of messages that left their wire object behind: tool results clipped as they appeared. */
  readonly clipped: ReadonlySet<number>;
  readonly counter: TokenCounter;
  readonly preset: Preset;
  readonly model: Pick<ModelInfo, "prices">;
  readonly limits: Limits;
  readonly options: FoldOptions;
  /** Signs frames, where the caller gave a secret. */
  readonly sign: Sign | undefined;
  /** Puts excerpts before the last question. Given to a fold that has room for them, once it is read. */
  recall: typeof withRecall | undefined;
  /** Tokens of the request outside the messages. */
  readonly fixed: number;
  readonly weights: readonly number[];
  /** Messages and everything else, after clipping. */
  readonly tokens: number;
  /** What clipping tool results as they appeared took away. */
  readonly clippedTokens: number;
  /** One hash per message, each covering the conversation up to it. */
  readonly chain: readonly string[];
  /** The chain's value after so many messages, without building the chain. */
  prefix(count: number): string;
  /** Which call each tool result answers. */
  pairs(): ToolPairs;
  atoms(): readonly Atom[];
  readonly warnings: readonly Warning[];
  /** Adds to the warnings of the result and tells the caller at once. */
  readonly warn: Warn;
}

/** Reads and weighs a conversation. Without `lookups` the options must say everything: a counter, and no model by name. */
export function readConversation<Wire>(
  given: readonly Wire[],
  options: FoldOptions,
  lookups: Lookups | undefined,
  sign: Sign | undefined,
): Conversation<Wire> {
  const warnings: Warning[] = [];
  const warn = (warning: Warning) => {
    warnings.push(warning);
    options.warn?.(warning);
  };
  const format = detectFormat(given, { format: options.format });
  const preset = withSummary(presetOf(options.preset ?? "agent"), options);
  const wire = withPrevious(given, format, preset, options.previous, sign);
  const { messages: decoded, reading } = readMessages(wire, format, {
    onInvalid: options.onInvalid ?? "reject",
    warn,
  });
  // Whoever states the window need not be told that it was guessed.
  const unknownMatters = options.model !== undefined && options.window === undefined;
  const model = lookups?.resolveModel(options.model ?? "", unknownMatters ? { warn } : {}) ?? unknownModel;
  const own = options.counter === undefined ? undefined : toCounter(options.counter);
  const counts = own ?? lookups?.getCounter(options.model ?? "gpt-4o");
  if (counts === undefined) throw new MidfoldError("INVARIANT_BROKEN", "A fold began without a counter.");
  const counter = own === undefined ? counts : guardCounter(own, warn);
  const limits = budgetOf(options, preset, model, counter);
  const { messages, clipped } = clipNewResults(decoded, {
    share: options.clipNewResults ?? preset.clipNewResults,
    window: limits.window,
    counter,
    pin: options.pin,
  });

  let fixed: number | undefined;
  let weights: number[] | undefined;
  let tokens: number | undefined;
  let chain: readonly string[] | undefined;
  return {
    wire,
    given,
    format,
    messages,
    clipped,
    counter,
    preset,
    model,
    limits,
    options,
    sign,
    recall: undefined,
    warnings,
    warn,
    get fixed() {
      fixed ??= fixedTokens(options, counter);
      return fixed;
    },
    get weights() {
      if (weights === undefined) {
        weights = reading.weights(counter, messages.length, own);
        for (const index of clipped) weights[index] = counter.countMessage(messages[index]!);
      }
      return weights;
    },
    get tokens() {
      tokens ??= sum(this.weights, this.fixed);
      return tokens;
    },
    get clippedTokens() {
      let gone = 0;
      for (const index of clipped) gone += counter.countMessage(decoded[index]!) - this.weights[index]!;
      return gone;
    },
    get chain() {
      chain ??= decoded.map((_, index) => reading.prefix(index + 1));
      return chain;
    },
    prefix: (count) => reading.prefix(count),
    // Clipping a result changes no call and no answer.
    pairs: () => reading.pairs(messages.length),
    atoms() {
      return reading.atoms(this.weights);
    },
  };
}

/** The messages with the previous summary before them, after their system prompt, in whichever turns the format wants. */
function withPrevious<Wire>(
  given: readonly Wire[],
  format: Format,
  preset: Preset,
  previous: FoldOptions["previous"],
  sign: Sign | undefined,
): readonly Wire[] {
  if (previous === undefined) return given;
  // What cannot be read is refused or left out when the whole list is read.
  const messages = readMessages(given, format, { onInvalid: "skip" }).messages;
  const next = messages.find((message) => message.role !== "system" || isFrame(message));
  const at = next === undefined ? given.length : given.indexOf(next.source as Wire);
  const { style } = preset.frame;
  const text =
    parseFrame(previous.text) !== undefined
      ? previous.text
      : frame({ kind: "summary", ...previous, style: style === "bracketed" ? style : "fenced", sign });
  const role = previous.role ?? preset.frame.role;
  const lines = frameLines({ text, before: undefined, after: speakerOf(next), traits: format.traits, role });
  const ahead = lines.map((line) => format.encode(textMessage(line.role, line.text)));
  return [...given.slice(0, at), ...(ahead as Wire[]), ...given.slice(at)];
}

const unknownModel = { window: unknownWindow, maxOutput: unknownMaxOutput(unknownWindow), prices: {} };

/** Whoever gives a summarizer wants summaries, also from presets that write a digest on their own. */
function withSummary(preset: Preset, { summarizer }: FoldOptions): Preset {
  return summarizer !== undefined && preset.replace === "digest" ? { ...preset, replace: "summary" } : preset;
}

function sum(weights: readonly number[], from: number): number {
  let total = from;
  for (const weight of weights) total += weight;
  return total;
}

/** Tools, a system prompt beside the messages, the primer of the reply, and what else the caller knows of. */
function fixedTokens(options: FoldOptions, counter: TokenCounter): number {
  const { system, tools, toolChoice, fixedTokens: further = 0 } = options;
  let tokens = further + counter.countMessages([]);
  if (tools !== undefined) tokens += counter.countTools(readTools(tools), toolChoice);
  if (typeof system === "string") tokens += counter.countMessage(textMessage("system", system));
  else for (const message of system ?? []) tokens += counter.countMessage(message);
  return tokens;
}
