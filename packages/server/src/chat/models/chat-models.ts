import type { Message, ModelOverride, Part, Summarizer, ToolDefinition } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { ModelEntry } from "@midfold/wire";
import type { ProviderKey } from "../../api/keys.ts";
import type { Destination } from "../../upstreams/destination.ts";
import type { ProviderAccess } from "../../upstreams/owner-providers.ts";

/** One request to a model, in neutral terms. */
export interface ReplyRequest {
  readonly model: string;
  /** System messages may be anywhere; the protocol puts them where its provider wants them. */
  readonly messages: readonly Message[];
  /** Declared so that past tool calls stay valid; the model is told not to call them. */
  readonly tools: readonly ToolDefinition[];
  readonly maxOutputTokens: number;
  /** Absent: the model's default. */
  readonly temperature?: number;
}

export type ReplyEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  /** A part that is complete: a tool call, signed reasoning, something only the provider understands. */
  | { readonly type: "part"; readonly part: Part }
  | { readonly type: "end"; readonly finish: ReplyFinish; readonly usage?: ReplyUsage; readonly model?: string };

export type ReplyFinish = "complete" | "cut-off" | "tool-call" | "refused";

export interface ReplyUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens?: number;
}

/** A model that can be used now. */
export interface ChatModel {
  readonly name: string;
  /** Name of the provider or server, for settings, learned limits and people. */
  readonly provider: string;
  readonly demo: boolean;
  /** The model whose counting rules apply, if its own name is unknown. */
  readonly countAs?: string;
  /** What the upstream says about itself, which overrides the registry. */
  readonly facts?: ModelOverride;
  /** Where its requests go. */
  readonly destination: Destination;
  /** The body exactly as it is sent, and the protocol it is written in. */
  body(request: ReplyRequest): { readonly protocol: string; readonly body: unknown };
  /** The provider's own count, where it has an endpoint for it. */
  countTokens?(request: ReplyRequest, signal: AbortSignal): Promise<number>;
}

export interface ListedModel {
  readonly id: string;
  readonly provider: string;
  readonly demo: boolean;
  /** Whether it accepts pictures, where its server says so. */
  readonly seesImages?: boolean;
}

/** All models this server can reach. */
export interface ChatModels {
  readonly defaultModel: string;
  /** A model that needs no key, with a window that a conversation of this size just overflows, for the example. */
  exampleModel(tokens: number): string;
  /** Throws NOT_FOUND with a remedy when no upstream serves the model. */
  find(model: string): ChatModel;
  /** Models that can be used right now. */
  list(): Promise<readonly ListedModel[]>;
  /**
   * A summarizer that uses this model; undefined when it cannot be reached (no key). If the upstream does not have the
   * model, the alternative is used.
   */
  summarizer(model: string, alternative?: string): Summarizer | undefined;
  /** The end of keys in the configuration is only shown to an administrator. */
  keys(admin: boolean): readonly ProviderKey[];
  /**
   * Keeps an owner's key in memory until the server stops; null deletes it. Throws NOT_FOUND for an unknown provider.
   */
  setKey(provider: string, key: string | null): Promise<void>;
  /** Throws VALIDATION_ERROR for a provider that could not be used, or that only an administrator may enter. */
  assertProvider(provider: Omit<ProviderAccess, "key">, admin: boolean): void;
  /** The models a provider lists, with their windows. Throws its error when it refuses. */
  testProvider(provider: ProviderAccess): Promise<readonly ModelEntry[]>;
  /** To be called after an owner's providers were changed in the store. */
  reread(): Promise<void>;
  /** The models of one owner, used for all of their requests. */
  of(store: OwnerStore): Promise<ChatModels>;
}
