import type { Preset, PresetName } from "./preset.ts";

const ladder = [
  "repeated-results",
  "drop-reasoning",
  "clip-newest",
  "fold-middle",
  "clip-results",
  "shorten-tail",
  "clip-oversized",
] as const;

/** The settings every preset starts from; each one below says only what its document changes. */
const base: Preset = {
  name: "base",
  safetyTokens: 100,
  safetyPercent: 0,
  minTokens: 0,
  minMessages: 0,
  head: { percent: 20 },
  tail: { percent: 100 },
  rungs: ladder,
  scope: "all",
  replace: "digest",
  frame: { role: "user", style: "fenced" },
  frameShare: 0.85,
  maxResultTokens: 1000,
  preserveRoles: [],
};

/** The built-in presets: each is a set of settings of the one engine. */
export const presets: Readonly<Record<PresetName, Preset>> = {
  /** Plain messages are folded first, middle-out; every tool message stays unless nothing else makes it fit. */
  proxy: {
    ...base,
    name: "proxy",
    recall: 0.5,
    rungs: ["fold-middle", "fold-exchanges", "clip-results", "shorten-tail", "clip-oversized"],
    scope: "plain",
  },
  /** 95 % of the window; one rolling summary, the newest 1000 tokens of whole messages stay. */
  chat: {
    ...base,
    name: "chat",
    recall: 0.5,
    safetyTokens: 0,
    safetyPercent: 5,
    minTokens: 2000,
    head: {},
    tail: { tokens: 1000 },
    rungs: ["clip-newest", "fold-middle", "shorten-tail", "clip-oversized"],
    replace: "summary",
    frame: { role: "system", style: "fenced" },
  },
  /** The last 10 messages as far as they fit; everything before them becomes one digest. */
  agent: {
    ...base,
    name: "agent",
    recall: 0.5,
    head: {},
    tail: { messages: 10, percent: 100 },
  },
  /** 70 % of the window and more than 10 messages; top 5 and bottom 5 stay, the middle becomes one summary. */
  sandwich: {
    ...base,
    name: "sandwich",
    trigger: "70%",
    minMessages: 10,
    head: { messages: 5, firm: true },
    tail: { messages: 5, firm: true },
    rungs: ["fold-middle", "shorten-tail", "clip-oversized"],
    replace: "summary",
    frame: { role: "system", style: "bracketed" },
  },
  /** 60 000 tokens; user messages stay, the earliest assistant and tool spans become one assistant message each. */
  compact: {
    ...base,
    name: "compact",
    trigger: { tokens: 60_000 },
    // Each compaction costs a model call per stretch: it goes down far enough that the next one is far away.
    target: 0.4,
    head: {},
    tail: { messages: 6, firm: true },
    rungs: ["fold-middle", "shorten-tail", "clip-oversized"],
    scope: "assistant-spans",
    replace: "summary",
    frame: { role: "assistant", style: "plain" },
  },
  /** Never folds; too long is an error. */
  "full-history": { ...base, name: "full-history", rungs: [], replace: "nothing" },
};
