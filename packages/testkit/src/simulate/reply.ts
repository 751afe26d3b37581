import type { Thought } from "../generate/draft.ts";
import type { Fault } from "./fault.ts";

/** A tool call the simulated model makes. Objects are written as JSON; a string goes out as it stands. */
export interface ReplyCall {
  readonly name: string;
  readonly input: unknown;
  /** A fresh id when absent. */
  readonly id?: string;
  /** Free-text input (OpenAI custom tools). */
  readonly custom?: boolean;
}

/** What the simulated model says, and how its answer travels. */
export interface Reply {
  readonly thoughts?: readonly Thought[];
  readonly text?: string;
  readonly calls?: readonly ReplyCall[];
  /** Why it stopped; worked out from the rest when absent. Written in the protocol's own word when not one of these. */
  readonly finish?: "stop" | "length" | "calls" | "refusal" | (string & {});
  readonly usage?: ReplyUsage;
  readonly stream?: StreamManner;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fault?: Fault;
  /** Bytes sent instead of an answer, each piece in a write of its own. */
  readonly raw?: RawReply;
}

export interface RawReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly (string | Uint8Array)[];
}

export interface ReplyUsage {
  /**
   * Where the figures appear: as the protocol has it (default), never, on every chunk, or together with the finish
   * reason. Only chat completions know the last two.
   */
  readonly where?: "usual" | "never" | "every-chunk" | "finish-chunk";
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** How a stream is cut and written. Everything here is legal: clients must cope. */
export interface StreamManner {
  /** Characters per text delta. Default 24. */
  readonly deltaChars?: number;
  /** Bytes per write to the socket, which cuts frames and characters apart. Default: one write per frame. */
  readonly writeBytes?: number;
  /** Pause before each frame. */
  readonly delayMs?: number;
  /** After so many frames nothing is sent until the promise is settled. */
  readonly hold?: { readonly afterFrames: number; readonly until: Promise<unknown> };
  readonly newline?: "\n" | "\r\n" | "\r";
  /** Sends a comment line before every frame. */
  readonly comments?: boolean;
  readonly byteOrderMark?: boolean;
  /** Writes each frame's JSON over several `data:` lines. */
  readonly multiline?: boolean;
  /** Leaves out the space after the colon. */
  readonly tight?: boolean;
  /** Sends the arguments of parallel calls piece by piece in turn (chat completions only). */
  readonly interleaveCalls?: boolean;
  /** How a careless server spells its calls (chat completions only). */
  readonly callQuirk?: CallQuirk;
  /** Sends the whole answer in one chunk (chat completions only). */
  readonly oneChunk?: boolean;
  /** Answers with one JSON body although a stream was asked for. */
  readonly ignoreStream?: boolean;
  /** Ends without `[DONE]` (chat completions only). */
  readonly omitDone?: boolean;
}

/**
 * `no-index`: calls are told apart by id only. `late-id`: the id comes with the last piece. `split-name`: the name comes
 * in two pieces. `repeated-name`: every piece names the call again. `object-arguments`: arguments as JSON, not as text.
 * `same-index`: every call has index 0, a new id begins a new call.
 */
export type CallQuirk = "no-index" | "late-id" | "split-name" | "repeated-name" | "object-arguments" | "same-index";
