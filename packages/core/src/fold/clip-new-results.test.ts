import { expect, it } from "vitest";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

const log = Array.from({ length: 4_000 }, (_, line) => `line ${line}: checked out module ${line % 17}`).join("\n");
const chat = [
  { role: "user", content: "Read the log." },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "call_1", type: "function", function: { name: "read", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "call_1", content: log },
];
const options = { model: "gpt-4o", window: 1_000_000 } as const;

it("what fits is left alone, however large a single tool result is", () => {
  const result = foldSync(chat, options);
  expect(result.messages).toBe(chat);
  expect(result).toMatchObject({ outcome: "fits", changed: false, plan: { reasons: [] } });
});

it("a result that is clipped because the caller asked for it is in the plan, the sizes and the outcome", () => {
  const whole = foldSync(chat, options).tokens.before;
  const result = foldSync(chat, { ...options, clipNewResults: 0.01 });
  expect(result.outcome).toBe("clipped");
  expect(result.changed).toBe(true);
  expect(result.tokens.before).toBe(whole);
  expect(result.tokens.after).toBeLessThan(whole / 2);
  expect(result.plan.tokens).toMatchObject({ before: whole, after: result.tokens.after });
  expect(result.plan.rungs).toEqual(["clip-new-results"]);
  expect(result.plan.reasons).toMatchObject([{ atoms: 1, freed: whole - result.tokens.after }]);
  expect(result.plan.decisions.map((decision) => decision.do)).toEqual(["keep", "clip"]);
  expect(result.plan.cuts).toMatchObject([{ message: 2 }]);
  expect(planOnly(chat, { ...options, clipNewResults: 0.01 }).rungs).toEqual(["clip-new-results"]);
});

it("a fold after clipping says both", () => {
  const long = [
    ...chat,
    ...Array.from({ length: 40 }, (_, i) => ({ role: "user", content: `${i} ${"word ".repeat(500)}` })),
  ];
  const settings = { model: "gpt-4o", window: 20_000, maxOutputTokens: 1_000 } as const;
  const whole = foldSync(long, { ...settings, budget: 1_000_000 }).tokens.before;
  const result = foldSync(long, { ...settings, clipNewResults: 0.1 });
  expect(result.outcome).toBe("folded");
  expect(result.tokens.before).toBe(whole);
  expect(result.plan.tokens.before).toBe(whole);
  expect(result.plan.rungs[0]).toBe("clip-new-results");
  expect(result.plan.rungs.length).toBeGreaterThan(1);
});
