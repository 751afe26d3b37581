import type { ModelOverride, ModelOverrides, PresetName, RungName } from "@midfold/core";
import type { TriggerInput } from "@midfold/core/budget";
import type { Deadlines, ProtocolName, ProviderKind } from "@midfold/wire";
import type { SettingValues } from "../api/settings.ts";
import type { Secret } from "./secret.ts";

/** The server's configuration, complete: file and environment merged, defaults filled in, keys read. */
export interface ServerConfig {
  readonly server: ServerSettings;
  readonly upstreams: Readonly<Record<string, UpstreamConfig>>;
  /** In the order they are written; `resolveRoute` picks the most specific. */
  readonly routes: readonly RouteConfig[];
  /** Used by routes without settings of their own. */
  readonly fold: FoldSettings;
  readonly models: ModelOverrides;
  /** Defaults of the chat app; a user's settings override them. */
  readonly chat: SettingValues;
  /** Shown to whoever starts the server. */
  readonly warnings: readonly string[];
}

export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  /** Names the server answers to beside the loopback ones. */
  readonly hosts: readonly string[];
  /** Origins of pages that may call it. */
  readonly origins: readonly string[];
  /** Addresses of proxies in front of it, such as `10.0.0.0/8`, whose forwarded client addresses are trusted. */
  readonly trustedProxies: readonly string[];
  /** `none`: whoever reaches the server may use it, so it only listens on loopback. */
  readonly keys: "none" | "required";
  /** `sqlite:path` or `postgres://…`; `none` keeps everything in memory. */
  readonly database: string;
  /** Keep message contents in the request log. */
  readonly capture: boolean;
  /** How much of the request log stays in the database: entries at most, and milliseconds. */
  readonly requestLog: { readonly keep: number; readonly maxAge: number };
  readonly logLevel: "debug" | "info" | "warn" | "error";
  readonly limits: ServerLimits;
  /** In milliseconds. */
  readonly deadlines: ServerDeadlines;
}

export interface ServerLimits {
  readonly bodyBytes: number;
  readonly bodyBytesInFlight: number;
  readonly jsonDepth: number;
  /** Values in one request's JSON, and of those messages, parts of messages, and tools. */
  readonly jsonValues: number;
  readonly messages: number;
  readonly parts: number;
  readonly tools: number;
  readonly inFlight: number;
  readonly connections: number;
  readonly headerBytes: number;
  readonly headerCount: number;
  /** For callers without limits of their own; absent means unlimited. */
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly concurrentRequests?: number | undefined;
}

export interface ServerDeadlines extends Deadlines {
  /** Until a client has sent its headers, and its whole request. */
  readonly headers: number;
  readonly request: number;
  readonly keepAlive: number;
  /** Until a client that does not read is disconnected. */
  readonly drain: number;
  /** How long streams may go on after the signal to stop. */
  readonly shutdown: number;
}

export interface UpstreamConfig {
  readonly name: string;
  readonly provider: ProviderKind | "demo";
  /** Protocols it speaks, the preferred one first. */
  readonly protocols: readonly [ProtocolName, ...ProtocolName[]];
  readonly baseUrl: string;
  /**
   * `managed`: our key is sent. `passthrough`: the caller's provider key is sent, never ours. `optional`: likewise, if
   * the caller has one and speaks the upstream's kind of protocol; it is also asked without. `none`: no key is sent.
   */
  readonly credentials: "managed" | "passthrough" | "optional" | "none";
  readonly apiKeyEnv?: string | undefined;
  readonly apiKey?: Secret | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly privateNetwork: boolean;
  readonly deadlines: Partial<Deadlines>;
}

export interface RouteConfig {
  /** The model name clients ask for; `*` stands for anything. */
  readonly model: string;
  readonly aliases: readonly string[];
  readonly upstream: string;
  /** The name sent upstream; `*` is replaced by what the pattern's `*` matched. Absent: the requested name. */
  readonly upstreamModel?: string | undefined;
  readonly fold: FoldSettings;
  readonly override: ModelOverride;
}

export interface FoldSettings {
  readonly enabled: boolean;
  readonly preset: PresetName;
  /** Which messages are kept first: both ends, or only the newest. */
  readonly strategy: "middle-out" | "sliding-window";
  /** Percent of the budget kept at the start. */
  readonly headPercent: number;
  /** What may happen to tool exchanges: nothing, clipped results, or folded whole. */
  readonly tools: "preserve" | "clip" | "fold";
  /** Clips a tool result as soon as it appears when it alone is over this share of the window. */
  readonly clipNewResults?: number | undefined;
  /** Rungs allowed, instead of the preset's. */
  readonly ladder?: readonly RungName[] | undefined;
  /** Folds earlier than the budget demands. */
  readonly trigger?: TriggerInput | undefined;
  readonly compact?: CompactSettings | undefined;
}

/** Model-written summaries: when to write them, and how. */
export interface CompactSettings {
  readonly maxTokens: number;
  readonly tokenThreshold?: number | undefined;
  readonly messageThreshold?: number | undefined;
  readonly turnThreshold?: number | undefined;
  readonly retentionWindow: number;
  /** Absent: the model of the request. */
  readonly model?: string | undefined;
  /** Absent: the built-in prompt. */
  readonly prompt?: string | undefined;
  readonly summaryTag: string;
}
