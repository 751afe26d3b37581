import { MidfoldError } from "@midfold/core";
import { protocols, type UpstreamRequest, type UpstreamResponse } from "@midfold/wire";
import type { KnownLimit } from "../learn/limits.ts";
import type { Destination } from "../upstreams/destination.ts";
import type { Ask, ExchangeTools, Fitted, FitWish, Prepared } from "./ask.ts";
import { exchange } from "./exchange.ts";
import type { Window } from "./window.ts";

/** What a request says: how large its conversation is, and how long the answer may be. */
export interface Said {
  readonly tokens: number;
  readonly max: number | null;
}

const key = { tenant: "t", upstream: "u", model: "m" };
export const protocol = protocols["openai-chat"];
const answer = {
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
};
export const taken = { status: 200, body: answer };
export const refused = (message: string, status = 400) => ({ status, body: { error: { message, type: "invalid" } } });
export const tooLong = (limit: number, input: number) =>
  refused(
    `This model's maximum context length is ${limit} tokens. However, your messages resulted in ${input} tokens.`,
  );

export interface Stage {
  readonly window: Window;
  /** Our count of the whole conversation, and of the smallest form it can be folded to. */
  readonly whole: number;
  readonly smallest?: number;
  readonly mayFold?: boolean;
  readonly counted?: boolean;
  readonly margin?: number;
  readonly stream?: boolean;
  readonly countIsGuess?: boolean;
  /** How much of the newest exchange goes out in so much room. */
  readonly newest?: (room: number) => "whole" | "part" | "none";
  /** It cannot be folded, and says that it fits. */
  readonly stubborn?: boolean;
  /** What folding fails with. */
  readonly fails?: MidfoldError;
  readonly upstream: (said: Said, at: number) => { readonly status: number; readonly body: unknown };
}

/** Runs one exchange with a conversation that is only a number, and an upstream that does what the test says. */
export async function run({
  window,
  whole,
  smallest = 1,
  mayFold = true,
  counted = true,
  margin = 0,
  ...stage
}: Stage) {
  const sent: Said[] = [];
  const requests: UpstreamRequest[] = [];
  const learned: {
    readonly how: "stated" | "concluded" | "answer";
    readonly window: number;
    readonly evidence: string;
  }[] = [];
  const compared: [number, number][] = [];
  const warned: string[] = [];
  const wishes: FitWish[] = [];
  const kept: number[] = [];
  let refusesUsage = false;
  const tools = {
    limits: {
      learnStated: (_: unknown, tokens: number, evidence: string) =>
        learned.push({ how: "stated", window: tokens, evidence }),
      learnConcluded: (_: unknown, tokens: number, evidence: string) =>
        learned.push({ how: "concluded", window: tokens, evidence }),
      learnAnswer: (_: unknown, tokens: number, evidence: string) =>
        learned.push({ how: "answer", window: tokens, evidence }),
      limitOf: (): KnownLimit | undefined => undefined,
      provenOf: () => 0,
      suspect: () => false,
    },
    calibrations: { compare: (_: unknown, ours: number, theirs: number) => compared.push([ours, theirs]) },
    quirks: {
      refusesStreamUsage: () => refusesUsage,
      noteStreamUsageRefused: () => {
        refusesUsage = true;
      },
    },
    log: { info: () => undefined, warn: (_: unknown, message: string) => warned.push(message) },
  } as unknown as ExchangeTools;
  const destination = {
    upstream: "u",
    path: "/chat/completions",
    protocol,
    send(request: UpstreamRequest): Promise<UpstreamResponse> {
      requests.push(request);
      const said = JSON.parse(String(request.body)) as Said;
      sent.push(said);
      const { status, body } = stage.upstream(said, sent.length - 1);
      const bytes = Buffer.from(JSON.stringify(body));
      return Promise.resolve({
        upstream: "u",
        status,
        headers: { "content-type": "application/json" },
        body: { readRest: () => [bytes] } as unknown as UpstreamResponse["body"],
        attempts: 1,
      });
    },
  } as unknown as Destination;
  const ask: Ask<Fitted, Prepared> = {
    ...{ key, destination, providerKey: undefined, callerRetries: false, window, mayFold },
    stream: stage.stream ?? false,
    countIsGuess: stage.countIsGuess ?? false,
    signal: new AbortController().signal,
    margin: () => margin,
    count: async () => whole,
    async fit(wish) {
      wishes.push(wish);
      if (stage.fails !== undefined) throw stage.fails;
      if (stage.stubborn === true) return { tokens: whole, counted, changed: false };
      const room = wish.budget ?? wish.window.tokens - wish.window.reserve;
      if (wish.asItIs !== true && mayFold && smallest > room)
        throw new MidfoldError("CONTEXT_OVERFLOW", "Too large.", { details: { needed: smallest } });
      const tokens = wish.asItIs === true || !mayFold ? whole : Math.min(whole, room);
      const newest = wish.provisional === true ? (stage.newest?.(room) ?? "whole") : "whole";
      const provisional = newest === "whole" ? {} : { provisional: { newest, keep: () => void kept.push(room) } };
      return { tokens, counted, changed: tokens < whole, ...provisional };
    },
    encode: ({ tokens }, _, maxOutput) => ({
      bytes: JSON.stringify({ tokens, max: maxOutput ?? window.asked ?? null }),
      headers: {},
      createDecoder: () => protocol.createStreamDecoder(),
    }),
  };
  const outcome = await exchange(tools, ask).catch((error: unknown) => error as MidfoldError);
  return { outcome, sent, requests, learned, compared, warned, wishes, kept };
}

export const windowOf = (tokens: number, more: Partial<Window> = {}): Window => ({
  ...{ tokens, source: "registry", maxOutput: 4_000, reserve: Math.min(4_000, tokens / 4), asked: undefined },
  ...more,
});
export const kindOf = (outcome: unknown) => (outcome as { opened?: { kind: string } }).opened?.kind;
