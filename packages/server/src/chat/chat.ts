import type { ModelOverrides } from "@midfold/core";
import type { TextCounts } from "@midfold/core/tokens";
import type { Store } from "@midfold/store";
import type { SettingValues } from "../api/settings.ts";
import type { ExchangeTools } from "../exchange/ask.ts";
import type { ChatModels } from "./models/chat-models.ts";
import type { RunningWork } from "./turn/running-work.ts";

/** Structured log, as pino writes it. Never given message content or keys. */
export interface ChatLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void;
  warn(facts: Readonly<Record<string, unknown>>, message: string): void;
  error(facts: Readonly<Record<string, unknown>>, message: string): void;
}

/** What the caller that mounts the chat passes in. */
export interface ChatDeps {
  readonly store: Store;
  readonly models: ChatModels;
  readonly log: ChatLog;
  /** What is learned about upstreams, shared with the gateway; the chat's own when absent. */
  readonly exchange?: ExchangeTools;
  /** Settings from the config file: above the defaults, below what a user sets. */
  readonly config?: SettingValues;
  readonly modelOverrides?: ModelOverrides;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Counts long texts elsewhere; in slices on this thread when absent. */
  readonly counts?: TextCounts;
  /** Called for work that outlasts its request, so that a shutdown can wait for it and end it. */
  readonly onWork?: (work: AbortController) => () => void;
  /** Shown in the OpenAPI document. */
  readonly version?: string;
}

/** The chat at run time: what was passed in, with defaults, and the work running in this process. */
export interface Chat {
  readonly store: Store;
  readonly models: ChatModels;
  readonly log: ChatLog;
  readonly exchange: ExchangeTools;
  readonly config: SettingValues;
  readonly modelOverrides: ModelOverrides;
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly counts: TextCounts;
  readonly running: RunningWork;
  /** Takes tokens from the caller's limit before they are spent; throws RATE_LIMITED. */
  readonly reserveTokens: (tokens: number) => void;
}
