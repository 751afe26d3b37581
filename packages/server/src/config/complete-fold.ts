import type { CompactSettings, FoldSettings } from "./config.ts";
import type { CompactInput, FoldInput } from "./fold-schema.ts";

/** R0's defaults. */
const defaults = { enabled: true, strategy: "middle-out", headPercent: 20, tools: "clip" } as const;

/** Lays settings over each other, the later ones on top, and fills in the defaults. */
export function completeFold(layers: readonly FoldInput[], disabled: boolean): FoldSettings {
  const pick = <TField extends keyof FoldInput>(field: TField): FoldInput[TField] =>
    layers.findLast((layer) => layer[field] !== undefined)?.[field];
  const compact = pick("compact");
  return {
    enabled: !disabled && (pick("enabled") ?? defaults.enabled),
    // A compact block without a preset asks for what R4 describes.
    preset: pick("preset") ?? (compact === undefined ? "proxy" : "compact"),
    strategy: pick("strategy") ?? defaults.strategy,
    headPercent: pick("headPercent") ?? defaults.headPercent,
    tools: pick("tools") ?? defaults.tools,
    clipNewResults: pick("clipNewResults"),
    ladder: pick("ladder"),
    trigger: pick("trigger") as FoldSettings["trigger"],
    compact: compact === undefined ? undefined : toCompact(compact),
  };
}

function toCompact(input: CompactInput): CompactSettings {
  return {
    maxTokens: input.max_tokens,
    tokenThreshold: input.token_threshold ?? undefined,
    messageThreshold: input.message_threshold ?? undefined,
    turnThreshold: input.turn_threshold ?? undefined,
    retentionWindow: input.retention_window,
    model: input.model,
    prompt: input.prompt,
    summaryTag: input.summary_tag,
  };
}
