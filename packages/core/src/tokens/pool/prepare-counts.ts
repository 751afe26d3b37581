import type { Message } from "../../message/message.ts";
import { loadEncoding } from "../encoding/get-encoding.ts";
import type { TokenCounter } from "../token-counter.ts";
import type { CountRule, TextCounts } from "./text-counts.ts";

/** A counter that can say what it has not counted yet, and be told the answer. */
export interface PreparableCounter extends TokenCounter {
  readonly rule: CountRule;
  /** The texts of at least `minLength` in these messages whose count is not known. */
  uncounted(messages: readonly Message[], minLength: number): string[];
  /** A provisional count is used, and asked for again the next time. */
  remember(text: string, tokens: number, provisional: boolean): void;
}

export interface PrepareOptions {
  readonly counts: TextCounts;
  /** Shorter texts are counted in less time than it takes to hand them over. */
  readonly minLength?: number;
  readonly signal?: AbortSignal;
}

/**
 * Counts the long texts of a conversation beforehand and elsewhere, so that folding it, which asks for counts as it
 * goes, finds them known and never holds the thread. Returns how many were counted and how many only estimated.
 *
 * @example const { counted } = await prepareCounts(counter, messages, { counts: new SlicedCounts() });
 */
export async function prepareCounts(
  counter: TokenCounter,
  messages: readonly Message[],
  { counts, minLength = 131_072, signal }: PrepareOptions,
): Promise<{ counted: number; estimated: number }> {
  // A counter that corrects another one is prepared through it.
  if ("inner" in counter)
    return prepareCounts(counter.inner as TokenCounter, messages, { counts, minLength, ...(signal && { signal }) });
  if (!isPreparable(counter)) return { counted: 0, estimated: 0 };
  await loadEncoding(counter.rule.encoding);
  const texts = counter.uncounted(messages, minLength);
  let estimated = 0;
  await Promise.all(
    texts.map(async (text) => {
      const result = await counts.count(text, counter.rule, signal);
      if (result.estimated) estimated++;
      counter.remember(text, result.tokens, result.estimated);
    }),
  );
  return { counted: texts.length - estimated, estimated };
}

const isPreparable = (counter: TokenCounter): counter is PreparableCounter => "uncounted" in counter;
