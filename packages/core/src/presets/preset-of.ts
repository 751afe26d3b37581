import { MidfoldError } from "../errors/midfold-error.ts";
import type { Preset, PresetName } from "./preset.ts";
import { presets } from "./presets.ts";

/**
 * A preset by name, or the one passed in after a look at its numbers.
 *
 * @example const preset = presetOf({ ...presetOf("agent"), target: 0.5 });
 */
export function presetOf(preset: PresetName | Preset): Preset {
  if (typeof preset === "string") {
    if (Object.hasOwn(presets, preset)) return presets[preset];
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `There is no preset "${preset}". Known: ${Object.keys(presets).join(", ")}.`,
    );
  }
  const wrong = wrongIn(preset);
  if (wrong === undefined) return preset;
  throw new MidfoldError(
    "VALIDATION_ERROR",
    `The preset's ${wrong}. Change a built-in one: { ...presets.agent, target: 0.5 }.`,
  );
}

const amounts = ["safetyTokens", "safetyPercent", "minTokens", "minMessages", "maxResultTokens"] as const;
const objects = ["head", "tail", "rungs", "frame", "preserveRoles"] as const;

/** A missing number makes the budget no number, and then nothing is ever folded. */
function wrongIn(preset: Preset): string | undefined {
  const { target = 1, frameShare, recall = 0, maxFrameTokens = 0, head, tail } = preset;
  if (!(target > 0 && target <= 1)) return `target must be a share between 0 and 1, not ${target}`;
  for (const [name, share] of Object.entries({ frameShare, recall })) {
    if (!(share >= 0 && share <= 1)) return `${name} must be a share from 0 to 1, not ${share}`;
  }
  const missing = objects.find((name) => typeof preset[name] !== "object" || preset[name] === null);
  if (missing !== undefined) return `${missing} is missing`;
  const numbers = [
    ...amounts.map((name) => [name, preset[name]] as const),
    ...Object.entries({ maxFrameTokens, ...head }),
  ];
  for (const [name, value] of [...numbers, ...Object.entries(tail)]) {
    if (name !== "firm" && !((value as number) >= 0)) return `${name} must be a number, 0 or more, not ${value}`;
  }
  return undefined;
}
