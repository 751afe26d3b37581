import { MidfoldError } from "../errors/midfold-error.ts";
import type { Rung } from "../plan/draft.ts";
import type { RungName } from "../plan/plan.ts";
import type { Preset } from "../presets/preset.ts";
import { assistantSpans } from "./assistant-spans.ts";
import { clipNewest } from "./clip-newest.ts";
import { clipOversized } from "./clip-oversized.ts";
import { clipResults } from "./clip-results.ts";
import { dropReasoning } from "./drop-reasoning.ts";
import { foldExchanges, foldMiddle } from "./fold-middle.ts";
import { type FoldOlderOptions, foldOlder } from "./fold-older.ts";
import { repeatedResults } from "./repeated-results.ts";
import { shortenTail } from "./shorten-tail.ts";

/**
 * The ladder of a preset: its rungs in order, each set up as the preset says. Where somebody said how much stays, the
 * middle is everything older than that.
 *
 * @example const names = rungsOf(presetOf("agent")).map(({ name }) => name);
 */
export function rungsOf(preset: Preset, stays?: FoldOlderOptions["stays"]): readonly Rung[] {
  return preset.rungs.map((name) => {
    if (!Object.hasOwn(build, name)) {
      const known = Object.keys(build).join(", ");
      throw new MidfoldError("VALIDATION_ERROR", `The preset's rungs name "${name}"; known: ${known}.`);
    }
    if (name !== "fold-middle" || stays === undefined) return { name, ...build[name](preset) };
    return {
      name,
      rule: stays.line === undefined ? "fold what is older than the newest messages" : "fold up to the line",
      strategy: foldOlder({ ...preset, stays }),
      always: true,
    };
  });
}

const build: Readonly<Record<RungName, (preset: Preset) => Omit<Rung, "name">>> = {
  "repeated-results": () => ({
    rule: "leave out outputs that newer ones say again",
    strategy: repeatedResults(),
  }),
  "clip-results": (preset) => ({
    rule: `clip old tool results to ${preset.maxResultTokens} tokens`,
    strategy: clipResults({ maxTokens: preset.maxResultTokens, onlyOverBudget: preset.scope === "plain" }),
  }),
  "drop-reasoning": () => ({ rule: "leave out the reasoning of finished turns", strategy: dropReasoning() }),
  "clip-newest": () => ({ rule: "clip the newest messages", strategy: clipNewest() }),
  "fold-middle": (preset) =>
    preset.scope === "assistant-spans"
      ? {
          rule: "retell the earliest assistant and tool messages",
          strategy: assistantSpans({ ...preset, retention: preset.tail }),
        }
      : {
          rule: "fold the middle of the conversation",
          strategy: foldMiddle({
            ...preset,
            exchangesNext: preset.rungs.includes("fold-exchanges"),
            clipsEdge: preset.rungs.includes("clip-newest"),
          }),
        },
  "fold-exchanges": (preset) => ({
    rule: "fold old tool exchanges, since nothing else makes room",
    strategy: foldExchanges(preset),
  }),
  "shorten-tail": (preset) => ({ rule: "fold more of the recent messages", strategy: shortenTail(preset) }),
  "clip-oversized": () => ({ rule: "clip the largest messages that are left", strategy: clipOversized() }),
};
