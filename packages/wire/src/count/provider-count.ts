import type { Message, ToolChoice, ToolDefinition } from "@midfold/core";

/** What is to be counted: everything that a request sends to the model. */
export interface CountRequest {
  readonly model: string;
  /** The system prompt first, as messages of the role `system`. */
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
}

/** A provider's own token counting endpoint. */
export interface ProviderCount {
  readonly name: string;
  /** Throws when it does not answer with a number in time; whoever asks then counts by itself. */
  count(request: CountRequest, options: ProviderCountOptions): Promise<number>;
}

export interface ProviderCountOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface ProviderAccess {
  readonly apiKey: string;
  /** Another address than the provider's own. */
  readonly baseUrl?: string;
}
