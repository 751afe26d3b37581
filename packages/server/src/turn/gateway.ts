import type { FoldCache, TokenCounter } from "@midfold/core";
import type { ModelEntry, Protocol } from "@midfold/wire";
import type { Logger } from "pino";
import type { ByHand } from "../console/by-hand.ts";
import type { ExchangeTools } from "../exchange/ask.ts";
import type { Identity } from "../guard/identity.ts";
import type { KeyLimiter } from "../guard/limit-key.ts";
import type { LoadLimiter } from "../guard/load-limits.ts";
import type { ValueMemo } from "../json/value-memo.ts";
import type { Metrics } from "../observe/create-metrics.ts";
import type { RequestLog } from "../requests/request-log.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import type { tasks } from "../threads/tasks.ts";
import type { ThreadPool } from "../threads/thread-pool.ts";
import type { Destination } from "../upstreams/destination.ts";
import type { Destinations } from "../upstreams/destinations.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { PrepareCounting } from "./prepare-counting.ts";
import type { Repeats } from "./repeat-once.ts";
import type { MessageScanner } from "./scan-messages.ts";
import type { Turn } from "./turn.ts";

/** What every turn needs from the server around it. */
export interface Gateway {
  readonly destinations: Destinations;
  /** Where a caller's model is served: by a provider they entered, or as configured. Throws NOT_FOUND. */
  readonly locate: (tenant: string, model: string, inbound: Protocol) => Destination | Promise<Destination>;
  /** Models a caller may ask for: the configured ones and their own. */
  readonly modelsOf: (tenant: string) => Promise<readonly ModelEntry[]>;
  /** Messages that were parsed before. */
  readonly memo: ValueMemo;
  readonly scanner: MessageScanner;
  /** What is learned about upstreams, shared with the chat. */
  readonly exchange: ExchangeTools;
  /** The fold cache of one tenant. */
  readonly foldsOf: (tenant: string) => FoldCache;
  /** What people decided about single conversations. */
  readonly byHand: ByHand;
  readonly counterFor: (model: string, identity: Identity) => TokenCounter;
  readonly prepareCounting: PrepareCounting;
  /** Work on long conversations beside the event loop. */
  readonly threads: ThreadPool<typeof tasks>;
  readonly repeats: Repeats;
  /** Answers that clients may continue by id, where the upstream has another protocol than the client. */
  readonly answers: KeptAnswers;
  readonly requests: RequestLog;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Where each request's log line goes. Never given an error or a header. */
  readonly requestLines: Logger;
  readonly keys: KeyLimiter;
  readonly load: LoadLimiter;
  readonly settings: GatewaySettings;
  /** Writes a summary in the background, before it is needed. */
  readonly prepareSummary: (turn: Turn, record: RequestRecord) => void;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface GatewaySettings {
  /** False: nothing is ever folded (DISABLE_CONTEXT_COMPRESSION). */
  readonly folding: boolean;
  /** Keep message content in the request log. */
  readonly capture: boolean;
  readonly maxBodyBytes: number;
  readonly maxDepth: number;
  /** Most values in a request's JSON, and of those messages, parts of messages and tools. */
  readonly maxValues: number;
  readonly maxMessages: number;
  readonly maxParts: number;
  readonly maxTools: number;
  /** After this much silence a waiting client is sent a ping. */
  readonly pingMs: number;
}
