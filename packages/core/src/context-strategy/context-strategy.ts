import type { Summarizer } from "../summary/summarizer.ts";
import type { ContextState } from "./context-state.ts";

/** What to send, and what to remember for next time. */
export interface ContextResult<Wire> {
  readonly messages: readonly Wire[];
  readonly summaryUsed: boolean;
  readonly tokensUsed: number;
  /** Set when a new summary was made. */
  readonly newState?: ContextState;
}

/** A pluggable way of managing the context of one conversation. */
export interface ContextStrategy {
  readonly name: string;
  readonly preserveTop: number;
  readonly preserveBottom: number;
  /** Share (0–1) of the window above which compression starts. */
  readonly compressionThreshold: number;
  needsCompression(messages: readonly unknown[], maxContextTokens: number): boolean;
  /** Uses the cached summary while it is valid, else the built-in digest. */
  buildContext<Wire>(
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): ContextResult<Wire>;
  /** The same with a summary written by a model. SERVICE_UNAVAILABLE when it fails; what was cached stays as it was. */
  buildContextWith<Wire>(
    model: Summarizer,
    messages: readonly Wire[],
    cached: ContextState | undefined,
    maxContextTokens: number,
  ): Promise<ContextResult<Wire>>;
  compress(messages: readonly unknown[], model: Summarizer): Promise<string>;
}
