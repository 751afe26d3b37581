import type { FinishReason, NeutralResponse, Usage } from "../protocols/neutral-response.ts";
import type { StreamStage } from "./stream-stage.ts";

export interface CompleteUsageOptions {
  readonly estimatedInputTokens: number;
  /** How many tokens a text weighs; four characters to a token where nobody can say. */
  readonly countText?: ((text: string) => number) | undefined;
  /** The model's window: an answer that was cut because it is full says so. */
  readonly window?: number | undefined;
}

const roughly = (text: string): number => Math.ceil(text.length / 4);

/** Adds an estimated cost where the upstream reports none, and tells a full window from a reached limit. */
export function createUsageCompleter(options: CompleteUsageOptions): StreamStage {
  const count = options.countText ?? roughly;
  let usage: Usage | undefined;
  let written = "";
  return (event) => {
    if (event.type === "usage-available") usage = event.usage;
    else if (event.type.endsWith("-delta") && "text" in event) written += event.text;
    if (event.type !== "finish") return [event];
    const known = usage ?? { inputTokens: options.estimatedInputTokens, outputTokens: count(written) };
    const reason = finishFor(event.reason, known, options.window);
    const finish = { ...event, reason };
    return usage === undefined ? [{ type: "usage-available", usage: known }, finish] : [finish];
  };
}

/** The same for a whole answer. */
export function completeUsage(response: NeutralResponse, options: CompleteUsageOptions): NeutralResponse {
  const count = options.countText ?? roughly;
  const usage = response.usage ?? {
    inputTokens: options.estimatedInputTokens,
    outputTokens: count(response.parts.map(wordsOf).join("")),
  };
  return { ...response, usage, finish: finishFor(response.finish, usage, options.window) };
}

function wordsOf(part: NeutralResponse["parts"][number]): string {
  if (part.type === "text" || part.type === "reasoning") return part.text;
  return part.type === "tool-call" ? part.input : "";
}

function finishFor(reason: FinishReason, usage: Usage, window: number | undefined): FinishReason {
  const isFull = window !== undefined && usage.inputTokens + usage.outputTokens >= window;
  return reason === "length" && isFull ? "context-window" : reason;
}
