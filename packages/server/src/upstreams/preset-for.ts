import { type Preset, presets } from "@midfold/core";
import type { FoldSettings } from "../config/config.ts";

/** Rungs that change or leave out what a tool said. */
const touchesTools: ReadonlySet<string> = new Set([
  "repeated-results",
  "clip-results",
  "clip-newest",
  "fold-exchanges",
  "clip-oversized",
]);

/** The preset of a route with its settings worked in. */
export function presetFor(settings: FoldSettings): Preset {
  const base = presets[settings.preset];
  let preset: Preset = base;
  if (base.scope === "plain") preset = withStrategy(preset, settings);
  if (settings.tools === "fold") {
    preset = { ...preset, name: `${preset.name}+fold-tools`, scope: "all" };
  } else if (settings.tools === "preserve") {
    preset = {
      ...preset,
      name: `${preset.name}+preserve-tools`,
      scope: "plain",
      rungs: preset.rungs.filter((rung) => !touchesTools.has(rung)),
    };
  }
  if (settings.clipNewResults !== undefined && settings.tools !== "preserve") {
    preset = { ...preset, name: `${preset.name}+clip-new-results`, clipNewResults: settings.clipNewResults };
  }
  if (settings.ladder !== undefined) {
    preset = { ...preset, name: `${preset.name}+${settings.ladder.join("+")}`, rungs: settings.ladder };
  }
  if (settings.trigger !== undefined) preset = { ...preset, trigger: settings.trigger };
  return settings.compact === undefined ? preset : withCompact(preset, settings.compact);
}

/** R0's two strategies: keep both ends, or only the newest messages. */
function withStrategy(preset: Preset, { strategy, headPercent }: FoldSettings): Preset {
  if (strategy === "sliding-window") {
    return { ...preset, name: `${preset.name}/sliding-window`, head: {}, replace: "nothing" };
  }
  return headPercent === 20 ? preset : { ...preset, head: { percent: headPercent } };
}

/** R4's block: its own triggers beside the budget, its own retention, summaries written by a model. */
function withCompact(preset: Preset, compact: NonNullable<FoldSettings["compact"]>): Preset {
  const { trigger: own, ...rest } = preset;
  const trigger = {
    ...(compact.tokenThreshold === undefined ? {} : { tokens: compact.tokenThreshold }),
    ...(compact.messageThreshold === undefined ? {} : { messages: compact.messageThreshold }),
    ...(compact.turnThreshold === undefined ? {} : { turns: compact.turnThreshold }),
  };
  // The thresholds of the block are all there are: with each of them null, only the budget starts a fold. Another preset
  // than R4's keeps its own trigger then.
  const others = own === undefined || preset.scope === "assistant-spans" ? {} : { trigger: own };
  return {
    ...rest,
    name: `${preset.name}+compact`,
    ...(Object.keys(trigger).length === 0 ? others : { trigger }),
    tail: { ...preset.tail, messages: compact.retentionWindow },
    replace: "summary",
    maxFrameTokens: compact.maxTokens,
  };
}
