import type { MidfoldError, Part } from "@midfold/core";
import type { FinishReason, Usage } from "./neutral-response.ts";

/**
 * What happens while an answer streams in. Parts are told apart by `index`; several may be open at once (parallel tool
 * calls often are), and no part receives a delta after its end. Usage comes before `finish`; after `finish` or `error` nothing
 * follows.
 */
export type StreamEvent =
  | { readonly type: "response-start"; readonly id?: string; readonly model?: string; readonly usage?: Usage }
  | { readonly type: "text-start"; readonly index: number }
  | { readonly type: "text-delta"; readonly index: number; readonly text: string }
  | { readonly type: "text-end"; readonly index: number }
  | { readonly type: "reasoning-start"; readonly index: number; readonly opaque?: string }
  | { readonly type: "reasoning-delta"; readonly index: number; readonly text: string }
  | { readonly type: "reasoning-end"; readonly index: number; readonly signature?: string; readonly opaque?: string }
  | {
      readonly type: "tool-call-start";
      readonly index: number;
      readonly id: string;
      readonly name: string;
      readonly custom?: boolean;
      readonly hosted?: boolean;
    }
  | { readonly type: "tool-call-delta"; readonly index: number; readonly text: string }
  | { readonly type: "tool-call-end"; readonly index: number }
  /** A part that arrives whole: a hosted tool's result, a block no rule here knows. */
  | { readonly type: "part-available"; readonly index: number; readonly part: Part }
  | { readonly type: "usage-available"; readonly usage: Usage }
  | { readonly type: "finish"; readonly reason: FinishReason; readonly stopSequence?: string }
  | { readonly type: "error"; readonly error: MidfoldError };
