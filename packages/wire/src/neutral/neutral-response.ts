import type { Part } from "@midfold/core";

/** Why an answer ended. `pause` asks the client to send the answer back so that the model can go on. */
export type FinishReason =
  | "stop"
  | "stop-sequence"
  | "length"
  | "context-window"
  | "tool-calls"
  | "refusal"
  | "pause"
  | "compaction";

export interface Usage {
  /** The whole prompt, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number;
}

/** A whole answer as any protocol could have said it. */
export interface NeutralResponse {
  readonly id?: string;
  readonly model?: string;
  readonly parts: readonly Part[];
  readonly finish: FinishReason;
  /** The stop sequence that ended the answer. */
  readonly stopSequence?: string;
  readonly usage?: Usage;
  readonly source?: unknown;
}
