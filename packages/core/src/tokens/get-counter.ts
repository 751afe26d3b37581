import { MidfoldError } from "../errors/midfold-error.ts";
import { ApproximateCounter } from "./approximate-counter.ts";
import { findFamily } from "./families/find-family.ts";
import { FamilyCounter } from "./family-counter.ts";
import { LengthCounter } from "./length-counter.ts";
import { TiktokenCounter } from "./tiktoken-counter.ts";
import type { TokenCounter } from "./token-counter.ts";

// One counter per rule, so that all callers share what was already counted.
const counters = new Map<string, TokenCounter>();
let lengthCounter: LengthCounter | undefined;

/**
 * The counter for a model: exact for OpenAI's, an estimate by family for others, approximate for unknown ones. Two
 * estimators have names of their own: `"len/4"` and `"approximate"`.
 *
 * @example getCounter("gpt-4o").count("Hello, world!"); // 4
 */
export function getCounter(model: string): TokenCounter {
  if (typeof model !== "string") {
    throw new MidfoldError("VALIDATION_ERROR", 'getCounter needs the name of a model, such as getCounter("gpt-4o").');
  }
  if (model === "len/4") {
    lengthCounter ??= new LengthCounter();
    return lengthCounter;
  }
  const family = findFamily(model);
  const key = family?.name ?? "approximate";
  let counter = counters.get(key);
  if (counter === undefined) {
    counter =
      family === undefined
        ? new ApproximateCounter()
        : family.text === undefined
          ? new TiktokenCounter(model)
          : new FamilyCounter(family);
    counters.set(key, counter);
  }
  return counter;
}
