import type { TriggerInput } from "../budget/trigger.ts";
import type { RungName } from "../plan/plan.ts";

export const presetNames = ["proxy", "chat", "agent", "sandwich", "compact", "full-history"] as const;
export type PresetName = (typeof presetNames)[number];

/** How much to keep at one end of the conversation, in whole atoms: the most generous of the given limits that fits. */
export interface Keep {
  readonly messages?: number;
  readonly tokens?: number;
  /** Share (0–100) of what the fold may keep. */
  readonly percent?: number;
  /** Keep `messages` even where that misses the low-water mark. */
  readonly firm?: boolean;
}

/** One of the five requirement documents, as settings of the one engine. */
export interface Preset {
  readonly name: string;
  /** Folds earlier than the budget demands. Absent: exactly when the budget is exceeded. */
  readonly trigger?: TriggerInput;
  /** Subtracted from the window beside the output reserve. */
  readonly safetyTokens: number;
  /** The same, as a percentage of the window. */
  readonly safetyPercent: number;
  /**
   * The low-water mark as a share (0–1) of the room that a fold can free; see `setGoal`. Absent: a single call fills its
   * budget, and in a session with records of earlier folds the mark follows from what a cached prefix costs.
   */
  readonly target?: number;
  /** Share (0–1) of the room for excerpts of folded messages before a new question where no tools are used; see `recallTokens`. */
  readonly recall?: number;
  /** Nothing is folded below this size, unless forced. */
  readonly minTokens: number;
  readonly minMessages: number;
  readonly head: Keep;
  readonly tail: Keep;
  readonly rungs: readonly RungName[];
  /** Which atoms the middle may lose: all, or only plain messages (tool exchanges stay), or only assistant and tool spans. */
  readonly scope: "all" | "plain" | "assistant-spans";
  /** What takes the place of the folded middle. */
  readonly replace: "digest" | "summary" | "nothing";
  readonly frame: {
    readonly role: "system" | "user" | "assistant";
    readonly style: "fenced" | "bracketed" | "plain";
  };
  /** Share (0–1) of the free room that goes to the frame before head and tail get theirs. */
  readonly frameShare: number;
  /** Largest frame, in tokens. Absent: as large as its room. */
  readonly maxFrameTokens?: number;
  /** Tool results larger than this many tokens are clipped when they are clipped at all. */
  readonly maxResultTokens: number;
  /** Clips tool results as they appear; see the fold option of the same name. No built-in preset does. */
  readonly clipNewResults?: number;
  /** Messages of these roles are never folded. */
  readonly preserveRoles: readonly ("system" | "user" | "assistant" | "tool")[];
}
