import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { countText, type TextKind, writeText } from "@midfold/testkit";

const kinds: readonly TextKind[] = ["log", "code", "json", "prose", "facts"];

/** One note per step, all different, each about this many tokens. Returns the command that prints a step's note. */
export function writeWorkspace(folder: string, steps: number, tokens: number): (step: number) => string {
  mkdirSync(join(folder, "notes"), { recursive: true });
  const path = (step: number) => `notes/step-${String(step + 1).padStart(3, "0")}.txt`;
  for (let step = 0; step < steps; step++) {
    writeFileSync(join(folder, path(step)), note(step, tokens));
  }
  return (step) => `cat ${path(step)}`;
}

function note(step: number, tokens: number): string {
  const kind = kinds[step % kinds.length]!;
  const head = `Note ${step + 1}. Marker OPS-${4_000 + step}.\n`;
  const sample = writeText({ kind, seed: step, chars: 4_000 });
  const chars = Math.round((4_000 * tokens) / countText(sample));
  return `${head}${writeText({ kind, seed: step, chars })}\n`;
}
