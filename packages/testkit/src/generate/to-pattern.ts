import { type Message, type Part, textOf } from "@midfold/core";

/** The part of a plan's decision that the notation shows. */
export interface PatternDecision {
  readonly do: "keep" | "clip" | "drop" | "fold" | (string & {});
  /** Which fold it belongs to; neighbours in different folds get their own brackets. */
  readonly span?: number;
}

/** The message range a decision is about, both ends included. */
export interface PatternRange {
  readonly first: number;
  readonly last: number;
}

const brackets: Readonly<Record<string, readonly [string, string]>> = {
  fold: ["[", "]"],
  summarize: ["[", "]"],
  drop: ["(", ")"],
  clip: ["{", "}"],
};

const bigResultChars = 4_000;

/**
 * Writes what a plan does to a conversation in the letters of `fromPattern`: `su[trtr]trua`, with square brackets around
 * what is folded, parentheses around what is dropped, braces around what is clipped. Decisions are one per message, or
 * one per range when ranges (a plan's atoms) are given.
 */
export function toPattern(
  messages: readonly Message[],
  decisions: readonly PatternDecision[] = [],
  ranges?: readonly PatternRange[],
): string {
  const perMessage = ranges === undefined ? decisions : spread(messages.length, decisions, ranges);
  let pattern = "";
  let open: PatternDecision | undefined;
  messages.forEach((message, index) => {
    const decision = perMessage[index] ?? { do: "keep" };
    if (open === undefined || open.do !== decision.do || open.span !== decision.span) {
      pattern += (open === undefined ? "" : (brackets[open.do]?.[1] ?? "")) + (brackets[decision.do]?.[0] ?? "");
      open = decision;
    }
    pattern += letterOf(message, index);
  });
  return pattern + (open === undefined ? "" : (brackets[open.do]?.[1] ?? ""));
}

function spread(
  count: number,
  decisions: readonly PatternDecision[],
  ranges: readonly PatternRange[],
): PatternDecision[] {
  const perMessage = Array.from({ length: count }, (): PatternDecision => ({ do: "keep" }));
  ranges.forEach((range, index) => {
    const decision = decisions[index];
    if (decision !== undefined) perMessage.fill(decision, range.first, range.last + 1);
  });
  return perMessage;
}

function letterOf(message: Message, index: number): string {
  switch (message.role) {
    case "system":
      return index === 0 ? "s" : "S";
    case "user":
      return message.pinned === true ? "U" : "u";
    case "tool":
      return message.parts.reduce((chars, part) => chars + resultChars(part), 0) > bigResultChars ? "R" : "r";
    case "assistant": {
      const calls = message.parts.filter((part) => part.type === "tool-call" && part.hosted !== true).length;
      if (calls > 0) return calls === 1 ? "t" : "p";
      return message.pinned === true ? "A" : "a";
    }
  }
}

function resultChars(part: Part): number {
  return part.type === "tool-result" ? textOf({ role: "tool", parts: part.content }).length : 0;
}
