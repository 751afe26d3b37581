import type { Effort } from "./neutral-request.ts";

/** How servers of one protocol differ. Protocol code reads these and never asks who the server is. */
export interface UpstreamTraits {
  /** A model of the family this provider serves: how to count when a model's name says another family, or nothing. */
  readonly countAs?: string;
  /** Where a server that people run themselves says with how large a window it runs its models. */
  readonly windowPages?: "ollama" | "lm-studio" | "llama.cpp";
  readonly maxOutputField: "max_tokens" | "max_completion_tokens";
  /** The role a system turn takes: in the prompt, and later in the conversation (`user`: as a reminder in words). */
  readonly systemRole: "system" | "developer";
  readonly laterSystem: "system" | "developer" | "user";
  /** Where earlier reasoning is sent back; `none`: it is left out. */
  readonly reasoningField: "reasoning_content" | "reasoning" | "reasoning_details" | "none";
  /** How the wish for reasoning is spelled; `none`: it is left out. */
  readonly effortField: "reasoning_effort" | "reasoning" | "none";
  /** Efforts it takes, weakest first; others are clamped to the nearest. */
  readonly efforts: readonly Effort[];
  /** Protocols with a thinking switch: left to the model, or bounded by a number of tokens. */
  readonly thinking: "adaptive" | "budget";
  /** What to ask for where the protocol demands a limit and the client set none. */
  readonly defaultMaxOutputTokens: number;
  /** How many stop sequences it takes; the rest are enforced on the answer. */
  readonly maxStops: number;
  /** Whether it takes `temperature` and `top_p`; reasoning models often do not. */
  readonly sampling: boolean;
  readonly topK: boolean;
  /** Whether it takes `parallel_tool_calls`. */
  readonly parallelToolCalls: boolean;
  /** Whether a tool can be demanded (`required`); otherwise it is asked for with `auto`. */
  readonly requiredToolChoice: boolean;
  readonly toolId: { readonly pattern: RegExp; readonly length: number };
  readonly toolName: { readonly pattern: RegExp; readonly length: number };
  readonly maxToolCalls: number;
  /** Whether calls came with a proof (`extra_content`) that it wants back. */
  readonly callProofs: boolean;
  readonly images: boolean;
  /** Whether the result of a tool may hold images. */
  readonly toolImages: boolean;
  readonly files: boolean;
  /** Whether `content` may be null beside tool calls; some servers want an empty string. */
  readonly nullContent: boolean;
  readonly streamUsage: boolean;
  readonly responseFormat: "json-schema" | "json-object" | "none";
  readonly userField: "user" | "safety_identifier" | "none";
  readonly cacheKeyField: "prompt_cache_key" | "none";
  /** Whether it passes cache marks on content on to models that need them. */
  readonly cacheMarks: boolean;
  /** How long it keeps a cached prefix, in milliseconds, where that is longer than its protocol says. */
  readonly cacheKeptMs?: number;
  /** `reduced`: JSON schema keywords outside the OpenAPI subset are refused. */
  readonly schema: "full" | "reduced";
  /** Whether it can be told to go on with a final assistant message. */
  readonly continuesPrefill: boolean;
}
