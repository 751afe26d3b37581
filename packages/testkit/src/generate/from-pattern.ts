import type { Message } from "@midfold/core";
import type { Call, Draft, Step } from "./draft.ts";
import { toMessages } from "./to-messages.ts";
import { type TextKind, writeText } from "./write-text.ts";

/**
 * The letters: `s` system, `u` user, `a` assistant, `t` assistant with one tool call, `p` assistant with two parallel
 * calls, `r` tool result, `R` big tool result, `S` system turn in the middle, `U` pinned user, `A` pinned assistant.
 */
export type PatternLetter = "s" | "u" | "a" | "t" | "p" | "r" | "R" | "S" | "U" | "A";

export interface PatternOptions {
  /** Characters of text per letter; 120 for all, 8 000 for `R`, unless given. */
  readonly chars?: Partial<Record<PatternLetter, number>>;
}

const kinds: Partial<Record<PatternLetter, TextKind>> = { s: "facts", S: "facts", r: "log", R: "log" };

/** `fromPattern("suatrtrua")`: one message per letter. A result answers the oldest open call; without one, it is an orphan. */
export function fromPattern(pattern: string, options: PatternOptions = {}): Message[] {
  return toMessages(draftFromPattern(pattern, options));
}

/** The same, before it takes a format. A leading `s` becomes the draft's system prompt. */
export function draftFromPattern(pattern: string, options: PatternOptions = {}): Draft {
  const open: Call[] = [];
  const steps: Step[] = [];
  let system: string | undefined;
  for (const [index, letter] of [...pattern].entries()) {
    if (!isLetter(letter)) throw new TypeError(`pattern "${pattern}": "${letter}" at ${index} is none of suatprRSUA`);
    const chars = options.chars?.[letter] ?? (letter === "R" ? 8_000 : 120);
    const text = `${letter}${index} ${writeText({ kind: kinds[letter] ?? "prose", seed: index, chars })}`.slice(
      0,
      Math.max(chars, 4),
    );
    if (letter === "s" && index === 0) system = text;
    else steps.push(stepOf(letter, index, text, open));
  }
  return system === undefined ? { steps } : { system, steps };
}

function stepOf(letter: PatternLetter, index: number, text: string, open: Call[]): Step {
  const pieces = [{ kind: "text" as const, text }];
  switch (letter) {
    case "s":
    case "S":
      return { kind: "system", text };
    case "u":
      return { kind: "user", pieces };
    case "U":
      return { kind: "user", pieces, pinned: true };
    case "a":
      return { kind: "assistant", pieces, calls: [] };
    case "A":
      return { kind: "assistant", pieces, calls: [], pinned: true };
    case "t":
    case "p": {
      const calls = Array.from({ length: letter === "t" ? 1 : 2 }, (_, place) => ({
        id: `call_${index}_${place}`,
        name: "bash",
        input: JSON.stringify({ command: `echo ${index}` }),
      }));
      open.push(...calls);
      return { kind: "assistant", pieces, calls };
    }
    case "r":
    case "R": {
      const call = open.shift();
      return {
        kind: "results",
        results: [{ callId: call?.id ?? `orphan_${index}`, name: call?.name ?? "bash", pieces }],
      };
    }
  }
}

const isLetter = (letter: string): letter is PatternLetter => "suatprRSUA".includes(letter);
