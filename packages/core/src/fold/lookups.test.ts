import { expect, it } from "vitest";
import { ApproximateCounter } from "../tokens/approximate-counter.ts";
import { fold } from "./fold.ts";

const chat = Array.from({ length: 81 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `Message ${index}. ${"Some words follow. ".repeat(20)}`,
}));

it("with a counter of one's own and no model by name, the size of an unknown model is assumed", async () => {
  const counter = new ApproximateCounter();
  const own = await fold(chat, { counter });
  expect(own.tokens.window).toBe(32_768);
  // The same as with the tables, which the call below loads.
  const named = await fold(chat, { counter, model: "" });
  expect(named.tokens).toEqual(own.tokens);
  const small = await fold(chat, { counter, budget: 2_000 });
  expect(small.outcome).toBe("folded");
  expect(small.tokens.after).toBeLessThanOrEqual(2_000);
});
