import type { Fault } from "./fault.ts";
import type { OverflowFlavour } from "./overflow-flavours.ts";
import type { Reply } from "./reply.ts";
import type { Turn } from "./turn.ts";

export type SimulatedProtocol = "openai-chat" | "anthropic-messages" | "openai-responses";

/** The simulated model: what it answers to a request. May keep state of its own between requests. */
export type Script = (turn: Turn) => Reply | Promise<Reply>;

export interface SimulatorOptions {
  /** The protocols this server speaks; OpenAI itself speaks two. */
  readonly protocol: SimulatedProtocol | readonly SimulatedProtocol[];
  /** Context window in tokens. Default: no limit. */
  readonly window?: number;
  /** Whose overflow error it answers with. Default: the protocol owner's. */
  readonly flavour?: OverflowFlavour;
  readonly script?: Script;
  /** Largest number of output tokens that may be asked for. Default: no limit. */
  readonly maxOutput?: number;
  /** Multiplies every count, for a provider whose tokenizer differs from o200k_base. Default 1. */
  readonly countScale?: number;
  /** What its bills count: all input (default), or only what was not in the cache, without saying what was. */
  readonly billing?: "all" | "uncached";
  /** The only key accepted; any non-empty key when absent. */
  readonly apiKey?: string;
  /** The only models known; any model when absent. */
  readonly models?: readonly string[];
  /** Whether a `system` turn may stand within Anthropic messages. Default false. */
  readonly laterSystem?: boolean;
  /** Whether the conversation may end with words of the assistant (Anthropic). Default false, as current models have it. */
  readonly prefill?: boolean;
  /** Largest request body in bytes. Default 32 MB. */
  readonly maxBodyBytes?: number;
  /** Refuse what the protocol does not define (default), or ignore it as many compatible servers do. */
  readonly unknownFields?: "refuse" | "ignore";
}

export interface SimulatorCounts {
  /** Requests that ask for a reply (not counts, not model lists). */
  requests: number;
  answered: number;
  /** Refused because they did not fit the window. */
  overflows: number;
  /** Cut by the server without a word (flavours that do that). */
  truncated: number;
  /** Refused as malformed. */
  invalid: number;
  faults: number;
  /** The client went away before the answer was complete. */
  aborted: number;
  countRequests: number;
}

export interface RecordedRequest {
  readonly index: number;
  /** Milliseconds on the process clock (`performance.now()`), as all times here. */
  readonly receivedAt: number;
  readonly connection: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly raw: Buffer;
  /** The parsed body; undefined when it is no JSON. */
  readonly body: unknown;
  readonly outcome: RequestOutcome;
}

export interface RequestOutcome {
  status?: number;
  /** Why it was refused. */
  problem?: string;
  inputTokens?: number;
  /** Input tokens whose prefix was the same as in an earlier request: what a provider bills at the cached price. */
  cachedTokens?: number;
  outputTokens?: number;
  overflow?: boolean;
  fault?: Fault["kind"];
  /** When the whole answer had been handed to the socket. */
  finishedAt?: number;
  /** When the client closed the connection before that. */
  abortedAt?: number;
}

export interface RecordedConnection {
  readonly id: number;
  readonly openedAt: number;
  closedAt?: number;
}

export interface Simulator {
  /** `http://127.0.0.1:port`, without a path. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  readonly connections: readonly RecordedConnection[];
  readonly counts: Readonly<SimulatorCounts>;
  /** Makes the next requests for a reply fail this way. */
  failNext(fault: Fault, times?: number): void;
  setScript(script: Script): void;
  setWindow(window: number | undefined): void;
  /** Resolves as soon as the condition holds; rejects after the time. */
  waitFor(condition: (simulator: Simulator) => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}
