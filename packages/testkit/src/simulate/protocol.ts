import type { JsonObject } from "./json.ts";
import type { Problem } from "./problem.ts";
import type { Reply } from "./reply.ts";
import type { SimulatedProtocol, SimulatorOptions } from "./simulator.ts";
import type { Turn } from "./turn.ts";

/** One server-sent event; `event` is left out where the protocol has no event names. */
export interface Frame {
  readonly event?: string;
  readonly data: string;
}

/** What a request is asking for. */
export type Purpose = "reply" | "count" | "compact" | "models" | "model";

export interface RequestView {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: JsonObject;
  readonly options: SimulatorOptions;
  readonly memory: Memory;
  readonly purpose: Purpose;
}

/** What a provider remembers of what it said itself. */
export interface Memory {
  /** Reasoning that was sent along with a call, by call id: it must come back with it. */
  readonly thoughtsByCall: Map<string, readonly string[]>;
  /** Stored conversations, by response id. */
  readonly responses: Map<string, readonly unknown[]>;
}

/** A piece of the request that the prefix cache and the counter look at, in the order the model reads it. */
export interface CountedPiece {
  readonly tokens: number;
  /** What decides whether it is the same piece as in an earlier request. */
  readonly identity: string;
}

export interface AnswerContext {
  readonly turn: Turn;
  readonly id: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly memory: Memory;
}

/** One provider protocol, as the server side of it behaves. */
export interface Protocol {
  readonly name: SimulatedProtocol;
  route(method: string, path: string): Purpose | undefined;
  validate(view: RequestView): Problem | undefined;
  pieces(view: RequestView): CountedPiece[];
  outputLimit(body: JsonObject): number | undefined;
  read(view: RequestView): Omit<Turn, "inputTokens" | "index">;
  frames(reply: Reply, context: AnswerContext): Iterable<Frame>;
  json(reply: Reply, context: AnswerContext): JsonObject;
  countBody(inputTokens: number): JsonObject;
  compactBody?(context: AnswerContext): JsonObject;
  modelBody(id: string, options: SimulatorOptions): JsonObject;
  modelList(ids: readonly string[], options: SimulatorOptions): JsonObject;
  errorBody(problem: Problem): JsonObject;
  errorHeaders(): Record<string, string>;
  /** An error within a stream that has begun. */
  errorFrame(problem: Problem, context: AnswerContext): Frame;
}
