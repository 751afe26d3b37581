import {
  type FoldRecord,
  type FoldSyncOptions,
  foldSync,
  isMidfoldError,
  type ModelPrices,
  type PresetName,
  presets,
  type TokenCounter,
} from "@midfold/core";
import { type Command, InvalidArgumentError } from "commander";
import type { CommandContext } from "../context.ts";
import { type CountedConversation, countMessages } from "../input/count-messages.ts";
import { addBudgetFlags, type BudgetFlags, foldOptions, modelOf } from "../input/fold-flags.ts";
import { type ReadConversation, readConversation } from "../input/read-conversation.ts";
import { describeReplay, type Replay, type ReplayedTurn } from "../output/describe-replay.ts";
import { showProgress } from "../output/show-progress.ts";

interface ReplayFlags extends BudgetFlags {
  readonly presets: readonly PresetName[];
  readonly turns?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  addBudgetFlags(command)
    .option("--presets <names>", "which presets to compare, with commas between", presetNames, [
      "agent",
      "chat",
      "proxy",
    ])
    .option("--turns", "list every turn")
    .action(async (file: string | undefined, flags: ReplayFlags) => {
      const conversation = await readConversation(context, file, flags);
      const { name: model, info } = modelOf(context, flags, conversation);
      const counted = await countMessages(context, conversation, model, flags.format);
      const options = {
        ...foldOptions({ ...flags, preset: "agent" }, conversation),
        counter: counted.counter,
        format: counted.format.name,
      };
      const starts = requestsOf(counted);
      const progress = showProgress(context, "replaying");
      const total = starts.length * (flags.presets.length + 1);
      const replays: Replay[] = [];
      for (const way of [undefined, ...flags.presets]) {
        const turns: ReplayedTurn[] = [];
        const send = way === undefined ? asItIs(options) : withPreset({ ...options, preset: way });
        let previous: Sent | undefined;
        for (const start of starts) {
          const request = send(conversation.messages.slice(0, start));
          const cached = request === undefined ? 0 : commonTokens(previous, request, counted, conversation);
          const answer = answerTokens(counted, start);
          turns.push(toTurn(start, request, cached, answer));
          previous = request ?? previous;
          await progress.report(replays.length * starts.length + turns.length, total);
        }
        replays.push(sum(way ?? "as it is", turns, info.prices));
      }
      progress.end();
      if (flags.json === true) context.write(`${JSON.stringify({ model, window: info.window, replays })}\n`);
      else context.write(describeReplay({ model, window: info.window, replays, listTurns: flags.turns === true }));
    });
}

function presetNames(text: string): PresetName[] {
  return text.split(",").map((name) => {
    if (Object.hasOwn(presets, name)) return name as PresetName;
    throw new InvalidArgumentError(`Presets are ${Object.keys(presets).join(", ")}.`);
  });
}

/**
 * How many messages each request had: one request before every answer, and one at the end if an answer is still
 * missing.
 */
function requestsOf({ messages }: CountedConversation): number[] {
  const isAnswer = (index: number) => messages[index]?.role === "assistant";
  const starts: number[] = [];
  for (let index = 1; index <= messages.length; index++) {
    if (!isAnswer(index - 1) && (isAnswer(index) || index === messages.length)) starts.push(index);
  }
  return starts;
}

function answerTokens({ messages, weights }: CountedConversation, start: number): number {
  let tokens = 0;
  for (let index = start; messages[index]?.role === "assistant"; index++) tokens += weights[index] ?? 0;
  return tokens;
}

interface Sent {
  readonly messages: readonly unknown[];
  readonly tokens: number;
  readonly folded: boolean;
}

type Send = (messages: readonly unknown[]) => Sent | undefined;

/** Without Midfold: everything is sent until it no longer fits. */
function asItIs(options: FoldSyncOptions): Send {
  const plain = { ...options, preset: "full-history" as const };
  return (messages) => {
    const size = sizeOf(messages, plain);
    return size.fits ? { messages, tokens: size.tokens, folded: false } : undefined;
  };
}

function sizeOf(messages: readonly unknown[], options: FoldSyncOptions): { fits: boolean; tokens: number } {
  try {
    const { before, budget } = foldSync(messages, options).tokens;
    return { fits: before <= budget, tokens: before };
  } catch (error) {
    if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return { fits: false, tokens: 0 };
    throw error;
  }
}

/** As the gateway does it: what was folded stays folded until the next fold. */
function withPreset(options: FoldSyncOptions): Send {
  let state: FoldRecord | undefined;
  return (messages) => {
    try {
      const result = foldSync(messages, { ...options, ...(state === undefined ? {} : { state }) });
      state = result.state ?? state;
      return { messages: result.messages, tokens: result.tokens.after, folded: result.outcome === "folded" };
    } catch (error) {
      if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return undefined;
      throw error;
    }
  };
}

/** Tokens that two requests have in common at their start. */
function commonTokens(
  previous: Sent | undefined,
  { messages }: Sent,
  { format, counter }: CountedConversation,
  conversation: ReadConversation,
): number {
  if (previous === undefined) return 0;
  let same = 0;
  while (same < messages.length && isSame(messages[same], previous.messages[same])) same++;
  const before = format.decode(messages.slice(0, same));
  return fixedTokens(counter, conversation) + before.reduce((sum, message) => sum + counter.countMessage(message), 0);
}

/** Kept messages are the same objects; a frame is a new object each time, with the same text. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}

function fixedTokens(counter: TokenCounter, { system, tools, toolChoice }: ReadConversation): number {
  const head = system.reduce((sum, message) => sum + counter.countMessage(message), 0);
  return head + (tools.length === 0 ? 0 : counter.countTools(tools, toolChoice));
}

function toTurn(messages: number, request: Sent | undefined, cached: number, answer: number): ReplayedTurn {
  if (request === undefined) return { messages, sent: 0, cached: 0, answer: 0, outcome: "overflow" };
  const { tokens: sent, folded } = request;
  return { messages, sent, cached: Math.min(cached, sent), answer, outcome: folded ? "folded" : "sent" };
}

function sum(name: string, turns: readonly ReplayedTurn[], prices: ModelPrices): Replay {
  const total = (field: "sent" | "cached" | "answer") => turns.reduce((sum, turn) => sum + turn[field], 0);
  const { input, output, cacheRead = input } = prices;
  const [sent, cached, answer] = [total("sent"), total("cached"), total("answer")];
  const cost =
    input === undefined || output === undefined || cacheRead === undefined
      ? undefined
      : ((sent - cached) * input + cached * cacheRead + answer * output) / 1_000_000;
  return {
    name,
    turns,
    folds: turns.filter(({ outcome }) => outcome === "folded").length,
    overflows: turns.filter(({ outcome }) => outcome === "overflow").length,
    sent,
    cached,
    largest: Math.max(0, ...turns.map((turn) => turn.sent)),
    cost,
  };
}
