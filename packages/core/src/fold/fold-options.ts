import type { Warn, Warning } from "../errors/warning.ts";
import type { FormatName } from "../formats/format.ts";
import type { Message, ToolDefinition } from "../message/message.ts";
import type { Plan } from "../plan/plan.ts";
import type { Preset, PresetName } from "../presets/preset.ts";
import type { Summarizer } from "../summary/summarizer.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { FoldCache, FoldRecord } from "./fold-record.ts";

export interface FoldOptions {
  /** Names the window, the output limit and the counter. Unknown models get a careful default and a warning. */
  readonly model?: string;
  /** The wire format of the messages; found out when absent. */
  readonly format?: FormatName;
  /** The model's real window, when the caller knows better than the registry. */
  readonly window?: number;
  /** Tokens the answer may need; the preset's rule when absent. */
  readonly maxOutputTokens?: number;
  /** The whole input budget, instead of one computed from the window. */
  readonly budget?: number;
  /** The low-water mark as a share of the budget (0–1), instead of the preset's. */
  readonly target?: number;
  /** `agent` when absent. A preset may be changed: `{ ...presets.agent, head: { messages: 4 } }`. */
  readonly preset?: PresetName | Preset;
  /** A system prompt that travels beside the messages (Anthropic `system`, Responses `instructions`). */
  readonly system?: string | readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  /** Further tokens of the request that no fold can free. */
  readonly fixedTokens?: number;
  readonly counter?: TokenCounter;
  /** Messages that must survive word for word, besides those that carry `pinned`. */
  readonly pin?: (message: Message, index: number) => boolean;
  /** The record an earlier call returned; makes folds sticky without a cache. */
  readonly state?: FoldRecord;
  readonly cache?: FoldCache;
  /** Writes summaries where the preset asks for them. Without one the digest stands in. */
  readonly summarizer?: Summarizer;
  /** Focus for the summary, in the user's words. */
  readonly instructions?: string;
  /** Fold even though everything fits (a person pressed the button). */
  readonly force?: boolean;
  readonly onInvalid?: "reject" | "skip";
  readonly warn?: Warn;
  readonly signal?: AbortSignal;
}

export interface FoldTokens {
  /** Size of the request as it came in and as it goes out, everything counted. */
  readonly before: number;
  readonly after: number;
  readonly budget: number;
  readonly target: number;
  readonly window: number;
  readonly fixed: number;
  /** False where `before` is only an upper bound, because the request was provably small, or the counter estimates. */
  readonly exact: boolean;
}

export interface FoldResult<Wire> {
  /** Same format as came in; the same array when nothing changed. */
  readonly messages: readonly Wire[];
  readonly changed: boolean;
  readonly plan: Plan;
  readonly tokens: FoldTokens;
  /** Pass it back as `state` next time, or keep it in a cache. Undefined when nothing was folded. */
  readonly state: FoldRecord | undefined;
  /** How the outcome came about. */
  readonly outcome: "fits" | "below-minimum" | "reused" | "folded";
  readonly warnings: readonly Warning[];
}
