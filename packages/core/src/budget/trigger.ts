import { MidfoldError } from "../errors/midfold-error.ts";
import { assertWindow } from "./assert-window.ts";

/** When to fold: over any one of these. Absolute numbers, as token_, message_ and turn_threshold of a `compact:` block. */
export interface Trigger {
  readonly tokens?: number;
  readonly messages?: number;
  readonly turns?: number;
}

export type TriggerKind = keyof Trigger;

/**
 * How people write a trigger: `"85%"` or `0.85` of the window, `120000` or `"120k"` tokens, `-20000` for that much below
 * the window, or counts of messages or turns. In the object form `tokens` takes any of the former.
 */
export type TriggerInput =
  | number
  | string
  | { readonly tokens?: number | string; readonly messages?: number; readonly turns?: number };

/** When the preset `compact` folds unless told otherwise. */
export const defaultCompactTrigger: Trigger = { tokens: 60_000 };

/**
 * A trigger as people write it, in tokens, messages and turns. Throws VALIDATION_ERROR for one that cannot be read.
 *
 * @example parseTrigger("85%", 200_000); // { tokens: 170000 }
 */
export function parseTrigger(input: TriggerInput, window: number): Trigger {
  assertWindow(window);
  if (typeof input !== "object") return { tokens: parseTokens(input, window) };
  const trigger: Trigger = {
    ...(input.tokens === undefined ? {} : { tokens: parseTokens(input.tokens, window) }),
    ...(input.messages === undefined ? {} : { messages: parseCount("messages", input.messages) }),
    ...(input.turns === undefined ? {} : { turns: parseCount("turns", input.turns) }),
  };
  if (Object.keys(trigger).length === 0) throw invalid(input, "it names neither tokens, messages nor turns");
  return trigger;
}

/**
 * The first threshold that is exceeded, or undefined when all hold.
 *
 * @example exceededTrigger(parseTrigger("85%", 200_000), { tokens: 180_000, messages: 90, turns: 40 }); // "tokens"
 */
export function exceededTrigger(
  trigger: Trigger,
  usage: { readonly tokens: number; readonly messages: number; readonly turns: number },
): TriggerKind | undefined {
  const kinds: readonly TriggerKind[] = ["tokens", "messages", "turns"];
  return kinds.find((kind) => {
    const limit = trigger[kind];
    return limit !== undefined && usage[kind] > limit;
  });
}

function parseTokens(input: number | string, window: number): number {
  const tokens = readTokens(input, window);
  if (!Number.isFinite(tokens) || tokens <= 0) {
    throw invalid(input, `it leaves ${Number.isNaN(tokens) ? "no number" : Math.floor(tokens)} of ${window} tokens`);
  }
  return Math.min(Math.max(1, Math.floor(tokens)), window);
}

function readTokens(input: number | string, window: number): number {
  if (typeof input === "number") {
    if (input < 0) return window + input;
    return input <= 1 ? window * input : input;
  }
  const match = /^(-?\d+(?:[._]?\d+)*)\s*(%|k|m)?$/i.exec(input.trim());
  if (match?.[1] === undefined) return Number.NaN;
  const value = Number(match[1].replaceAll("_", ""));
  const unit = match[2]?.toLowerCase();
  if (unit === "%") return value > 100 ? Number.NaN : (window * value) / 100;
  return readTokens(value * (unit === "k" ? 1_000 : unit === "m" ? 1_000_000 : 1), window);
}

function parseCount(kind: "messages" | "turns", count: number): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw invalid({ [kind]: count }, `${kind} must be a positive whole number`);
}

function invalid(input: TriggerInput, why: string): MidfoldError {
  return new MidfoldError(
    "VALIDATION_ERROR",
    `The trigger ${JSON.stringify(input)} is not usable: ${why}. Write "85%", 120000, "120k", -20000, or {messages} or {turns}.`,
  );
}
