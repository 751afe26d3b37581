import type { EncodingName } from "../encoding/encoding.ts";
import type { TextRule } from "../families/family.ts";

/** How a text is to be counted; plain data, so that it can go to another thread. */
export interface CountRule {
  readonly encoding: EncodingName;
  readonly text?: TextRule;
}

export interface CountedText {
  readonly tokens: number;
  /** The time was up, and this is a safe over-estimate. */
  readonly estimated: boolean;
}

/** Counts texts of any length without holding up whoever asks. */
export interface TextCounts {
  /** An aborted `signal` (a deadline, mostly) ends the counting with an over-estimate; nothing is thrown. */
  count(text: string, rule: CountRule, signal?: AbortSignal): Promise<CountedText>;
}
