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
  if (preset.target !== undefined && !(preset.target > 0 && preset.target <= 1)) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `The preset's target must be a share between 0 and 1, not ${preset.target}.`,
    );
  }
  return preset;
}
