import { describe, expect, it } from "vitest";
import { ContextManager } from "./context-manager.ts";
import { TruncationMode } from "./truncation-mode.ts";

const said = (index: number, words = 50) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content: `message ${index} ${"x ".repeat(words)}`,
});
/** A manager whose history is over the threshold, and a model that answers when it is told to. */
const waiting = () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  let calls = 0;
  const manager = new ContextManager("gpt-4", TruncationMode.SUMMARIZE, () => {
    calls++;
    asked.resolve();
    return answer.promise;
  });
  for (let index = 0; index < 60; index++) manager.addMessage(said(index));
  return { manager, asked: asked.promise, answer: answer.resolve, calls: () => calls };
};
const room = (manager: ContextManager) => manager.budget.available;

describe("while a summary is written", () => {
  it("the session goes on while a summary is written, and nothing that is added meanwhile is lost", async () => {
    const { manager, asked, answer } = waiting();
    const compaction = manager.compactIfNeeded();
    await asked;
    const [question, reply] = [said(60), said(61)];
    expect(manager.addMessage(question)).toBe(true);
    expect(manager.addMessage(reply)).toBe(true);
    expect(manager.getMessages().slice(-2)).toEqual([question, reply]);
    answer("The work so far, in one sentence.");
    expect(await compaction).toBe(true);
    expect(JSON.stringify(manager.getMessages())).toContain("The work so far, in one sentence.");
    expect(manager.getMessages().slice(-2)).toEqual([question, reply]);
    expect(manager.history.slice(-2)).toEqual([question, reply]);
    expect(manager.tracker.currentTokens).toBe(manager.tracker.counter.countMessages([...manager.getMessages()]));
    // The next compaction reads them too.
    expect(manager.snapshot().compacted!.slice(-2)).toEqual([question, reply]);
  });

  it("what is added at once, before the model is even asked, is kept once", async () => {
    const { manager, answer } = waiting();
    const compaction = manager.compactIfNeeded();
    const question = said(60);
    manager.addMessage(question);
    answer("The work so far.");
    expect(await compaction).toBe(true);
    expect(manager.getMessages().filter((message) => message === question)).toHaveLength(1);
    expect(manager.getMessages().at(-1)).toBe(question);
  });

  it("so much that summary and new messages do not fit is truncated to the limit", async () => {
    const { manager, asked, answer } = waiting();
    const compaction = manager.compactIfNeeded();
    await asked;
    for (let index = 60; index < 120; index++) manager.addMessage(said(index));
    answer("The work so far.");
    await compaction;
    expect(manager.tokenUsage).toBeLessThanOrEqual(room(manager));
    expect(manager.getMessages().at(-1)).toEqual(said(119));
    expect(manager.history).toHaveLength(120);
  });

  it("a session that was cleared meanwhile stays empty", async () => {
    const { manager, asked, answer } = waiting();
    const compaction = manager.compactIfNeeded();
    await asked;
    manager.reset();
    manager.addMessage(said(0));
    answer("The work so far.");
    expect(await compaction).toBe(false);
    expect(manager.getMessages()).toEqual([said(0)]);
    expect(manager.snapshot().compacted).toEqual([said(0)]);
  });

  it("asked for twice, it is done once, and both hear of it", async () => {
    const { manager, asked, answer, calls } = waiting();
    const both = Promise.all([manager.compactIfNeeded(), manager.compactIfNeeded()]);
    await asked;
    answer("The work so far.");
    expect(await both).toEqual([true, true]);
    expect(calls()).toBe(1);
  });

  it("the next one reads what the first one left and what came since", async () => {
    const prompts: string[] = [];
    const manager = new ContextManager("gpt-4", TruncationMode.SUMMARIZE, async ({ prompt }) => {
      prompts.push(prompt);
      return `Summary ${prompts.length}.`;
    });
    for (let index = 0; index < 60; index++) manager.addMessage(said(index));
    expect(await manager.compactIfNeeded()).toBe(true);
    for (let index = 60; index < 120; index++) manager.addMessage(said(index));
    expect(await manager.compactIfNeeded()).toBe(true);
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain("Summary 1.");
    expect(prompts[1]).toContain("message 60 ");
  });
});
