import { describe, expect, test } from "vitest";
import { draftFromPattern, fromPattern } from "./from-pattern.ts";
import { longConversation, longDraft } from "./long-conversation.ts";
import { toOpenaiChat } from "./to-openai-chat.ts";
import { toPattern } from "./to-pattern.ts";

const keep = { do: "keep" } as const;
const fold = { do: "fold", span: 0 } as const;

describe("patterns", () => {
  test.each(["suatrtrua", "sutRprruSuAU", "u", "", "uaprr"])("%s survives the way there and back", (pattern) => {
    expect(toPattern(fromPattern(pattern))).toBe(pattern);
  });

  test("results answer the oldest open call", () => {
    const chat = toOpenaiChat(draftFromPattern("uprr"));
    expect(chat.slice(2).map((message) => message.tool_call_id)).toEqual(["call_1_0", "call_1_1"]);
  });

  test("a result without a call is an orphan", () => {
    expect(toOpenaiChat(draftFromPattern("ur"))[1]?.tool_call_id).toBe("orphan_1");
  });

  test("decisions per message become brackets", () => {
    const decisions = [keep, keep, fold, fold, { do: "drop" }, { do: "clip" }, keep];
    expect(toPattern(fromPattern("suaurau".slice(0, 7)), decisions)).toBe("su[au](r){a}u");
  });

  test("decisions per atom cover their ranges, and neighbouring folds stay apart", () => {
    const ranges = [
      { first: 0, last: 0 },
      { first: 1, last: 1 },
      { first: 2, last: 3 },
      { first: 4, last: 5 },
      { first: 6, last: 6 },
    ];
    const decisions = [keep, keep, fold, { do: "fold", span: 1 }, keep];
    expect(toPattern(fromPattern("sutrtru"), decisions, ranges)).toBe("su[tr][tr]u");
  });

  test("an unknown letter is refused", () => {
    expect(() => fromPattern("ux")).toThrow('"x" at 1');
  });
});

describe("longConversation", () => {
  test("is deterministic and as long as asked", () => {
    const one = longConversation({ turns: 10_000, seed: 3, maxMessages: 5_000 });
    expect(one).toHaveLength(5_000);
    expect(JSON.stringify(longConversation({ turns: 10_000, seed: 3, maxMessages: 5_000 }))).toBe(JSON.stringify(one));
    expect(JSON.stringify(longConversation({ turns: 10_000, seed: 4, maxMessages: 5_000 }))).not.toBe(
      JSON.stringify(one),
    );
  });

  test("toolShare sets how many rounds use tools", () => {
    const rounds = (toolShare: number) =>
      longDraft({ turns: 400, toolShare }).steps.filter((step) => step.kind === "results").length;
    expect(rounds(0)).toBe(0);
    expect(rounds(1)).toBeGreaterThan(rounds(0.5));
    expect(rounds(0.5)).toBeGreaterThan(200);
  });
});
