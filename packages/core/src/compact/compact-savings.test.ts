import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { expect, it } from "vitest";
import { compact } from "./compact.ts";

it.each([1, 2, 3])("an agent's conversation is at least halved, conversation %i", async (seed) => {
  const chat = toOpenaiChat(longDraft({ turns: 60, seed, toolShare: 0.7 }));
  const { tokens } = await compact(chat, { token_threshold: 10_000, retention_window: 6 }, { model: "gpt-4o" });
  expect(tokens.before).toBeGreaterThan(15_000);
  expect(tokens.after).toBeLessThan(tokens.before / 2);
});
