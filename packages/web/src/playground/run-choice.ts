import type { PlaygroundRequest } from "../api/types.gen.ts";

export type Run = PlaygroundRequest["runs"][number];
export type PresetName = Run["preset"];

export const presetWords: Readonly<Record<PresetName, { readonly name: string; readonly does: string }>> = {
  proxy: { name: "proxy", does: "for a gateway: keeps system, tools, head and tail; the middle becomes a digest" },
  chat: { name: "chat", does: "for a chat: keeps the newest messages; everything older becomes one rolling summary" },
  agent: { name: "agent", does: "for an agent: clips large tool results first, then folds the middle" },
  sandwich: { name: "sandwich", does: "keeps the first five and the last five; what is between becomes a summary" },
  compact: { name: "compact", does: "keeps all that the user said; retells the earliest assistant and tool messages" },
  "full-history": { name: "full history", does: "changes nothing: what happens without folding" },
};

export const presetNames = Object.keys(presetWords) as readonly PresetName[];

export const summarizerWords = {
  extractive: "picks sentences, no model",
  none: "digest only",
  model: "the chosen model writes it",
} as const;

export const maxRuns = 4;

/** The next strategy that is not compared yet. */
export function nextRun(runs: readonly Run[]): Run {
  const used = new Set(runs.map(({ preset }) => preset));
  return { preset: presetNames.find((name) => !used.has(name)) ?? "proxy", summarizer: "extractive" };
}
