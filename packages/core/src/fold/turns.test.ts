import { arbitraryWireConversation } from "@midfold/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMidfoldError } from "../errors/midfold-error.ts";
import { formats } from "../formats/formats.ts";
import type { Message } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import type { FoldResult } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";

/**
 * Chat templates of local models (Mistral, Gemma) refuse a list in which user and assistant do not take turns. Calls of
 * tools and their results are no turns there.
 */
function turnProblems(messages: readonly Message[]): string[] {
  const talk = messages.flatMap((message, index) => {
    if (message.role === "user") return [{ role: "user", index }];
    const calls = (at: number) => messages[at]?.parts.some(({ type }) => type === "tool-call") === true;
    // Responses items of one answer become one chat message: its words stand before its calls.
    const one = messages[index + 1]?.role === "assistant" && calls(index + 1);
    const speaks = message.role === "assistant" && message.parts.some(({ type }) => type === "text");
    return speaks && !calls(index) && !one ? [{ role: "assistant", index }] : [];
  });
  return talk.flatMap(({ role, index }, at) =>
    role === (at % 2 === 0 ? "user" : "assistant") ? [] : [`${role} out of turn at ${index}`],
  );
}

const counter = getCounter("gpt-4o");
const words = (text: string, times: number) => `${text} `.repeat(times).trim();
const asked = (turn: number) => ({ role: "user", content: `Question ${turn}: ${words("what about this", 20)}?` });
const answered = (turn: number) => ({ role: "assistant", content: `Answer ${turn}: ${words("it is so", 40)}.` });
const worked = (turn: number) => [
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${turn}`, type: "function", function: { name: "read", arguments: `{"file":"f${turn}"}` } }],
  },
  { role: "tool", tool_call_id: `c${turn}`, content: words(`line of file ${turn}`, 60) },
];
const turns = Array.from({ length: 40 }, (_, turn) => turn);
const system = { role: "system", content: "Be brief." };
const talk = [system, ...turns.flatMap((turn) => [asked(turn), answered(turn)]), asked(40)];
const work = [system, asked(0), ...turns.flatMap(worked)];
const both = [system, ...turns.flatMap((turn) => [asked(turn), ...worked(turn), answered(turn)]), asked(40)];

const read = (wire: readonly unknown[]) => formats["openai-chat"].decode(wire as never);

describe("user and assistant take turns after a fold as they did before", () => {
  const cases = { talk, work, both };
  for (const preset of ["proxy", "agent"] as const) {
    it.each(Object.keys(cases) as (keyof typeof cases)[])(`%s, with ${preset}, in every size`, (name) => {
      const messages = cases[name];
      for (let budget = 400; budget < 12_000; budget += 393) {
        const result = foldSync(messages, { model: "gpt-4o", budget, preset, recall: 200 });
        const grown = [...result.messages, ...worked(99), answered(41), asked(42)];
        expect(turnProblems(read(name === "work" ? grown : result.messages))).toEqual([]);
      }
    });
  }

  it("also where excerpts are put back for a question, in the same call and in later ones", () => {
    const secret = [{ role: "user", content: "The garage code is 9912, remember it." }, answered(1)];
    const question = { role: "user", content: "What was the garage code again?" };
    const messages = [...talk.slice(0, 21), ...secret, ...talk.slice(21, -1), question];
    const options = { model: "gpt-4o", budget: 3_000, preset: "proxy", recall: 300 } as const;
    const first = foldSync(messages, { ...options, state: undefined });
    expect(JSON.stringify(first.messages)).toContain("[Excerpts of earlier");
    expect(turnProblems(read(first.messages))).toEqual([]);
    const later = foldSync([...messages, answered(41), question], { ...options, state: first.state! });
    expect(later.outcome).toBe("reused");
    expect(later.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(turnProblems(read(later.messages))).toEqual([]);
  });

  it("also around messages that are pinned between folded ones", () => {
    const pinned = talk.map((message, at) =>
      at === 31 || at === 51 || at === 62 ? { ...message, pinned: true } : message,
    );
    for (const preset of ["proxy", "agent"] as const) {
      const { messages } = foldSync(pinned, { model: "gpt-4o", budget: 1_500, preset });
      expect(messages).toEqual(expect.arrayContaining([pinned[31], pinned[51], pinned[62]]));
      expect(turnProblems(read(messages))).toEqual([]);
    }
  });

  it("the line that leaves the turn to the assistant is not taken for the user's last words", () => {
    const { messages } = foldSync(work, { model: "gpt-4o", budget: 3_000 });
    const again = foldSync([...messages, ...turns.flatMap(worked)], { model: "gpt-4o", budget: 3_000 });
    expect(again.messages).toContain(work[1]);
    expect(turnProblems(read(again.messages))).toEqual([]);
  });

  it.each(["openai-chat", "openai-responses"] as const)("in any %s conversation that takes turns", (format) => {
    let checked = 0;
    fc.assert(
      fc.property(
        arbitraryWireConversation(format, {
          valid: true,
          maxChars: 1_500,
          switches: { consecutiveUsers: false, pinned: false },
        }),
        fc.integer({ min: 200, max: 8_000 }),
        fc.constantFrom("proxy", "agent"),
        ({ messages }, budget, preset) => {
          const decode = (wire: readonly unknown[]) => formats[format].decode(wire as never);
          if (turnProblems(decode(messages)).length > 0) return;
          const result = tryFold(messages, { format, budget, preset });
          if (result?.outcome !== "folded") return;
          checked++;
          expect(turnProblems(decode(result.messages))).toEqual([]);
        },
      ),
      { numRuns: 200, endOnFailure: true },
    );
    expect(checked).toBeGreaterThanOrEqual(10);
  });
});

function tryFold(wire: readonly unknown[], options: Parameters<typeof foldSync>[1]): FoldResult<unknown> | undefined {
  try {
    return foldSync(wire, { counter, ...options });
  } catch (error) {
    if (isMidfoldError(error, "CONTEXT_OVERFLOW")) return undefined;
    throw error;
  }
}
