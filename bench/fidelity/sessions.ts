/** What a fold leaves of long coding sessions: the user's requests, the files changed, what ten folds in a row leave, money. */
import { type FoldRecord, fold, formats, getCounter, type PresetName } from "@midfold/core";
import { digest } from "@midfold/core/summaries";
import { baselines } from "./baselines.ts";
import {
  type ChatMessage,
  contentOf,
  countMessage,
  countMessages,
  countText,
  flatText,
  unitsOf,
} from "./conversation.ts";
import type { Recorded } from "./data.ts";
import { contentWords, indexWords, keptWords } from "./evidence.ts";
import { findNeeds, needsAt } from "./references.ts";
import { growing } from "./rules.ts";

export interface HandOver {
  readonly requests: number;
  readonly requestsKept: number;
  readonly files: number;
  readonly filesNamed: number;
  readonly folds: number;
  readonly refused: number;
}

const window = 60_000;
const model = "gpt-4o";
const options = { model, window, maxOutputTokens: 4_000 } as const;
const longest = 400;

/** A session replayed in a 60k window, with the fold's record passed back: what of the user's wishes and of the work is left. */
export async function scoreHandOver(sessions: readonly Recorded[], name: string): Promise<HandOver> {
  const score = { requests: 0, requestsKept: 0, files: 0, filesNamed: 0, folds: 0, refused: 0 };
  for (const { messages } of sessions) {
    let state: FoldRecord | undefined;
    let last: readonly ChatMessage[] = [];
    const baseline = baselines.find((one) => one.name === name);
    if (baseline !== undefined) last = await baseline.run({ messages, budget: window - 4_100 });
    else {
      for (const end of growing(messages, 8_000)) {
        try {
          const preset = name as PresetName;
          const given = { ...options, preset, ...(state !== undefined && { state }) };
          const result = await fold(messages.slice(0, end), given);
          if (result.outcome === "folded") score.folds++;
          state = result.state;
          last = result.messages;
        } catch {
          score.refused++;
          last = [];
        }
      }
    }
    const counts = handOverOf(messages, last.map(flatText).join("\n"));
    score.requests += counts.requests;
    score.requestsKept += counts.requestsKept;
    score.files += counts.files;
    score.filesNamed += counts.filesNamed;
  }
  return score;
}

function handOverOf(messages: readonly ChatMessage[], text: string) {
  const index = indexWords(text);
  const requests = requestsIn(messages);
  const kept = requests.filter((request) => {
    const words = new Set(contentWords(request));
    return keptWords(request, index).size >= 0.7 * words.size;
  });
  const files = [...filesChanged(messages)];
  const named = files.filter((path) => text.includes(path.split("/").at(-1)!));
  return { requests: requests.length, requestsKept: kept.length, files: files.length, filesNamed: named.length };
}

/** What a person typed: no notices of the tool they typed it into, no pasted pages beyond their first lines. */
function requestsIn(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap((message) => {
    if (message.role !== "user") return [];
    const text = contentOf(message)
      .replace(/<([\w-]+)>[\s\S]*?<\/\1>/g, "")
      .trim();
    if (/^(?:\[|## Context|This session is being continued)/.test(text)) return [];
    const request = text.slice(0, longest);
    return contentWords(request).length >= 3 ? [request] : [];
  });
}

/** Files that a writing tool wrote, from its arguments or, where a recording lost those, from what it answered. */
function filesChanged(messages: readonly ChatMessage[]): Set<string> {
  const files = new Set<string>();
  const writing = new Map<string, string | undefined>();
  for (const message of messages) {
    for (const { id, function: called } of message.tool_calls ?? []) {
      if (!/write|edit|create|replace|patch/i.test(called.name) || /todo|task|plan/i.test(called.name)) continue;
      const viewing = /"command": ?"view"/.test(called.arguments);
      if (!viewing) writing.set(id, /"(?:file_?path|path)": ?"([^"]+)"/i.exec(called.arguments)?.[1]);
    }
    if (message.role !== "tool" || !writing.has(message.tool_call_id ?? "")) continue;
    const result = contentOf(message);
    if (/^(?:<tool_use_error>|Error|Could not)/.test(result)) continue;
    const told = /(?:The file|created successfully at:?) (\/\S+)/.exec(result)?.[1];
    const path = writing.get(message.tool_call_id!) ?? told;
    if (path !== undefined) files.add(path);
  }
  return files;
}

export interface Generations {
  /** By number of folds: needed values, those with context in what was carried on, and in a fold of the originals. */
  readonly after: Readonly<Record<number, { needs: number; carried: number; fresh: number }>>;
  readonly refused: number;
}

export const generationsShown = [1, 5, 10] as const;

/**
 * Nobody kept the originals: a session grows in a 30k window, and each fold gets what the last one left and what came
 * since. After so many folds: what of the values the next messages need is there, beside a fold of the originals.
 */
export async function scoreGenerations(sessions: readonly Recorded[], preset: PresetName): Promise<Generations> {
  const after: Record<number, { needs: number; carried: number; fresh: number }> = {};
  let refused = 0;
  const small = { ...options, window: 30_000, preset };
  for (const { messages, system } of sessions) {
    let carried: readonly ChatMessage[] = [];
    let folds = 0;
    let from = 0;
    for (const end of growing(messages, 2_000)) {
      try {
        const result = await fold([...carried, ...messages.slice(from, end)], small);
        carried = result.messages;
        from = end;
        if (result.outcome === "folded") folds++;
        const shown = generationsShown.find((number) => number === folds);
        if (result.outcome !== "folded" || shown === undefined) continue;
        const prefix = messages.slice(0, end);
        const needs = needsAt(prefix, messages.slice(end, end + 30), system);
        const fresh = await fold(prefix, small);
        after[shown] ??= { needs: 0, carried: 0, fresh: 0 };
        after[shown].needs += needs.length;
        after[shown].carried += findNeeds(needs, carried.map(flatText).join("\n")).inContext;
        after[shown].fresh += findNeeds(needs, fresh.messages.map(flatText).join("\n")).inContext;
        if (folds === generationsShown.at(-1)) break;
      } catch {
        refused++;
        break;
      }
    }
  }
  return { after, refused };
}

export interface ReplayCost {
  /** Thousands of tokens as if all were uncached input: cached 0.1, written to the cache 1.25. */
  readonly cost: number;
  readonly breaks: number;
  readonly calls: number;
  readonly refused: number;
}

/** So often the replay pauses, where it does, for longer than a provider keeps a cache. */
const callsBetweenPauses = 20;
const pausing = `, cold every ${callsBetweenPauses}th call`;
const told = ", told so";

/** A preset replayed with pauses, without saying so to `fold` and with it. */
export const withPauses = (preset: string): string[] => [`${preset}${pausing}`, `${preset}${pausing}${told}`];

/** Every assistant message is a call; what it shares with the call before, from the start, is read from the cache. */
export async function replayCost(sessions: readonly Recorded[], policy: string): Promise<ReplayCost> {
  let cost = 0;
  let breaks = 0;
  let calls = 0;
  let refused = 0;
  for (const { messages } of sessions) {
    const next = policyOf(policy);
    let before: readonly ChatMessage[] = [];
    let number = 0;
    for (let end = 1; end < messages.length; end++) {
      if (messages[end]!.role !== "assistant") continue;
      calls++;
      const isCold = policy.includes(pausing) && ++number % callsBetweenPauses === 0;
      let request: readonly ChatMessage[];
      try {
        request = await next(messages.slice(0, end), isCold);
      } catch {
        refused++;
        continue;
      }
      let shared = 0;
      let read = 0;
      while (shared < before.length && shared < request.length && same(before[shared]!, request[shared]!)) {
        read += countMessage(request[shared++]!);
      }
      if (shared < before.length) breaks++;
      if (isCold) read = 0;
      cost += 0.1 * read + 1.25 * (countMessages(request) - read);
      before = request;
    }
  }
  return { cost: Math.round(cost / 1000), breaks, calls, refused };
}

const same = (a: ChatMessage, b: ChatMessage) => a === b || JSON.stringify(a) === JSON.stringify(b);

type Policy = (messages: readonly ChatMessage[], cacheIsCold: boolean) => Promise<readonly ChatMessage[]>;

function policyOf(name: string): Policy {
  const budget = window - 4_100;
  if (name === "no limit") return async (messages) => messages;
  if (name === "sliding window") {
    return (messages) => baselines.find((one) => one.name === name)!.run({ messages, budget });
  }
  const batched = /^(.+) in batches to (\d+) %$/.exec(name);
  if (batched !== null) return inBatches(batched[1]!, budget, Number(batched[2]) / 100);
  let state: FoldRecord | undefined;
  const preset = name.split(",")[0] as PresetName;
  return async (messages, cacheIsCold) => {
    const given = { ...options, preset, ...(state !== undefined && { state }) };
    // Both rows with pauses are a session from the first call on, so that they differ in nothing but what is told.
    const paused = { ...given, state, ...(name.endsWith(told) && { cacheIsCold }) };
    const result = await fold(messages, name.includes(pausing) ? paused : given);
    state = result.state;
    return result.messages;
  };
}

/** Cut once down to a share of the budget, then leave it alone until it is full again. */
function inBatches(name: string, budget: number, share: number): Policy {
  const { run } = baselines.find((one) => one.name === name)!;
  let kept: readonly ChatMessage[] = [];
  let covers = 0;
  return async (messages) => {
    const request = [...kept, ...messages.slice(covers)];
    if (countMessages(request) <= budget) return request;
    kept = await run({ messages, budget: Math.floor(budget * share) });
    covers = messages.length;
    return kept;
  };
}

export interface BesideSummary {
  readonly tokens: number;
  readonly needs: number;
  readonly requests: number;
  readonly files: number;
  /** What the recorded model summary and our digest of the same size keep. */
  readonly summary: { readonly needs: number; readonly requests: number; readonly files: number };
  readonly digest: { readonly needs: number; readonly requests: number; readonly files: number };
}

/** Beside summaries that a model wrote in the recorded session: our digest of the same messages in as many tokens. */
export function besideSummaries(sessions: readonly Recorded[]): BesideSummary[] {
  const counter = getCounter(model);
  return sessions.flatMap(({ messages, compactions, system }) =>
    compactions.map(({ at, summary }) => {
      const prefix = messages.slice(0, at);
      const needs = needsAt(prefix, messages.slice(at, at + 200), system);
      const tokens = countText(summary);
      const decoded = formats["openai-chat"].decode(prefix, { onInvalid: "skip" });
      const ours = digest(decoded, { counter, maxTokens: tokens }).text;
      const score = (text: string) => {
        const { requestsKept, filesNamed } = handOverOf(prefix, text);
        const flat = text.replace(/\s+/g, " ");
        return { needs: findNeeds(needs, flat).present, requests: requestsKept, files: filesNamed };
      };
      const { requests, files } = handOverOf(prefix, "");
      return { tokens, needs: needs.length, requests, files, summary: score(summary), digest: score(ours) };
    }),
  );
}

/** Milliseconds to digest a megabyte of conversation, the median of five. */
export function digestSpeed(sessions: readonly Recorded[]): number {
  const messages: ChatMessage[] = [];
  let size = 0;
  for (const unit of sessions.flatMap((session) => unitsOf(session.messages))) {
    if (size > 1e6) break;
    messages.push(...unit);
    size += unit.reduce((sum, message) => sum + flatText(message).length, 0);
  }
  const decoded = formats["openai-chat"].decode(messages, { onInvalid: "skip" });
  const times = Array.from({ length: 5 }, () => {
    // Time of this thread on a processor: what others do on the machine is not the digest's.
    const started = process.threadCpuUsage();
    digest(decoded, { counter: getCounter(model), maxTokens: 8_000 });
    const { user, system } = process.threadCpuUsage(started);
    return ((user + system) / 1000) * (1e6 / size);
  });
  return times.sort((a, b) => a - b)[2]!;
}
