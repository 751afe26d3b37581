import type { Message, ToolChoice, ToolDefinition } from "@midfold/core";

/** A request as any protocol could have said it. `source` is the body it was read from. */
export interface NeutralRequest {
  readonly model: string;
  /** The system prompt: everything said before the conversation starts. */
  readonly system: readonly Message[];
  /** The conversation; later system turns stand where they were said. */
  readonly messages: readonly Message[];
  readonly tools: readonly NeutralTool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop: readonly string[];
  readonly reasoning?: ReasoningRequest;
  readonly responseFormat?: ResponseFormat;
  readonly stream: boolean;
  /** Whether the client wants token usage at the end of a stream. */
  readonly includeUsage: boolean;
  readonly user?: string;
  /** What the client names its conversation by, for the upstream's prompt cache. */
  readonly cacheKey?: string;
  readonly contextEdits: readonly ContextEdit[];
  /** Fields no rule here knows, by name. They are not translated. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly source: unknown;
}

export interface NeutralTool extends ToolDefinition {
  /** `custom` takes free text; `hosted` is run by the provider and means nothing to another one. */
  readonly kind: "function" | "custom" | "hosted";
  /** Hidden from the model until a search result refers to it. */
  readonly deferred?: boolean;
  readonly strict?: boolean;
  /** The group a tool belongs to; its `name` is then `namespace__name`. */
  readonly namespace?: string;
}

export type Effort = "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";

export interface ReasoningRequest {
  readonly effort?: Effort;
  readonly budgetTokens?: number;
  /** The client wants the model to think but not to be shown the reasoning. */
  readonly hidden?: boolean;
}

export type ResponseFormat =
  | { readonly type: "text" }
  | { readonly type: "json" }
  | { readonly type: "json-schema"; readonly name: string; readonly schema: unknown; readonly strict?: boolean };

/** What an edit did. */
export type AppliedEdit =
  | { readonly type: "clear-tool-uses"; readonly clearedToolUses: number; readonly clearedInputTokens: number }
  | { readonly type: "clear-thinking"; readonly clearedTurns: number; readonly clearedInputTokens: number };

/** One edit of the conversation that a client asks the server to make. Sizes are in tokens. */
export type ContextEdit =
  | {
      readonly type: "clear-tool-uses";
      readonly triggerTokens?: number;
      readonly triggerToolUses?: number;
      readonly keepToolUses: number;
      readonly clearAtLeastTokens?: number;
      readonly excludeTools: readonly string[];
      /** Whether to clear the arguments of the calls too, of all tools or of these. */
      readonly clearInputs: boolean | readonly string[];
    }
  | { readonly type: "clear-thinking"; readonly keepTurns: number | "all" }
  | { readonly type: "compact"; readonly triggerTokens: number; readonly instructions?: string };
