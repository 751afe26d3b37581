import type { Atom } from "../atoms/atom.ts";

/** What happens to one atom. Plain data: the dry run, the preview, the inspector and the tests look at it. */
export type Decision =
  | { readonly do: "keep" }
  | { readonly do: "clip"; readonly toTokens: number }
  /** `untold`: to be folded, but its frame has no room. */
  | { readonly do: "drop"; readonly untold?: true }
  | { readonly do: "fold"; readonly span: number };

/** The rungs of the ladder, cheapest first. */
export const rungNames = [
  "repeated-results",
  "clip-results",
  "drop-reasoning",
  "clip-newest",
  "fold-middle",
  "fold-exchanges",
  "shorten-tail",
  "clip-oversized",
] as const;
export type RungName = (typeof rungNames)[number];

/** Why tokens were freed, for people. */
export interface Reason {
  readonly rung: RungName | string;
  readonly rule: string;
  readonly atoms: number;
  readonly freed: number;
}

/** A stretch of the conversation that one frame (a digest or a summary) stands for. */
export interface Span {
  /** Indices of the atoms it covers, ascending. They need not be neighbours: what is kept between them stays in place. */
  readonly atoms: readonly number[];
  readonly messages: number;
  readonly tokens: number;
  /** What the frame may cost. */
  readonly maxTokens: number;
  readonly by: "digest" | "summary";
}

/** A kept message that becomes smaller. */
export interface Cut {
  readonly message: number;
  /** Upper bound of its tokens afterwards. */
  readonly toTokens: number;
  /** Stands for the whole of its tool results, instead of a clipped version of them. */
  readonly note?: string;
  readonly withoutReasoning?: boolean;
  /** The last of the user's messages that reply to it: what they name of it stays. */
  readonly repliedBy?: number;
}

export interface PlanTokens {
  readonly before: number;
  readonly after: number;
  /** What the request may cost: window − output reserve − safety. */
  readonly budget: number;
  /** The low-water mark a fold goes down to. */
  readonly target: number;
  /** Tokens no plan can free: tools, a system prompt beside the messages, the reply primer. */
  readonly fixed: number;
  /** After so many further calls a fold of a session has paid for writing its prefix anew; 0 where the cache was cold. */
  readonly breakEvenCalls?: number | undefined;
}

export interface Plan {
  readonly atoms: readonly Atom[];
  /** One per atom. */
  readonly decisions: readonly Decision[];
  readonly reasons: readonly Reason[];
  readonly spans: readonly Span[];
  /** By message, ascending. */
  readonly cuts: readonly Cut[];
  readonly rungs: readonly string[];
  readonly tokens: PlanTokens;
}
