import type { ModelOverrides } from "@midfold/core";
import type { TextCounts } from "@midfold/core/tokens";
import type { OwnerStore, Store } from "@midfold/store";
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

/** The chat of this process: what was passed in, with defaults, and the work running here. */
export interface ChatServer {
  readonly stores: Store;
  readonly models: ChatModels;
  readonly log: ChatLog;
  readonly exchange: ExchangeTools;
  readonly config: SettingValues;
  readonly modelOverrides: ModelOverrides;
  readonly now: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly counts: TextCounts;
  readonly running: RunningWork;
}

/** The chat of one owner, for one request or job. */
export interface Chat extends ChatServer {
  readonly store: OwnerStore;
  /** Takes tokens from the caller's limit before they are spent; throws RATE_LIMITED. */
  readonly reserveTokens: (tokens: number) => void;
}

/** The chat as one owner uses it, with the models this owner can reach. */
export async function chatOf(
  server: ChatServer,
  owner: string,
  reserveTokens: Chat["reserveTokens"] = () => undefined,
): Promise<Chat> {
  const store = server.stores.of(owner);
  return { ...server, store, models: await server.models.of(store), reserveTokens };
}
