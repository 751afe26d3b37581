import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { expect, it } from "vitest";
import { find, useHarness } from "../chat-harness.test-data.ts";

const chat = useHarness({ env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" } });

/** Conversations of many kinds, each far over its model's window; the built-in summarizer and the demo model answer. */
async function fold(seed: number, turns: number, model: string) {
  const draft = longDraft({ turns, seed, toolShare: (seed % 4) / 4 });
  const { session } = await chat.call("importSession", {
    body: { content: JSON.stringify(toOpenaiChat(draft)), format: "openai-chat", model },
  });
  const events = await chat.say(session.id, "Where were we?");
  return { done: find(events, "fold.done"), end: find(events, "turn.end") };
}

it("the automatic fold succeeds for every one of 100 conversations", async () => {
  let succeeded = 0;
  for (let seed = 0; seed < 100; seed++) {
    const { done, end } = await fold(seed, 12, "midfold-demo-4k");
    if (done !== undefined && end?.status === "complete") succeeded++;
  }
  expect(succeeded).toBe(100);
});

it("what is summarized becomes ten times smaller on average", async () => {
  const ratios: number[] = [];
  for (let seed = 0; seed < 5; seed++) {
    const { done } = await fold(seed, 120, "midfold-demo-32k");
    const { summaries } = await chat.call("listSummaries", { params: { sessionId: done?.sessionId ?? "" } });
    ratios.push((summaries[0]?.originalTokens ?? 0) / (summaries[0]?.summaryTokens ?? 1));
  }
  // Each of them: the average of all was above ten although nothing bounded the summaries, by those with long tool results.
  expect(Math.min(...ratios)).toBeGreaterThan(10);
});
