import { longDraft, toOpenaiChat } from "@midfold/testkit";
import { expect, it } from "vitest";
import { foldSync } from "../fold/fold-sync.ts";
import { formats } from "../formats/formats.ts";
import { getCounter } from "../tokens/get-counter.ts";

const counter = getCounter("gpt-4o");
const idsOf = (messages: readonly object[]) =>
  messages.flatMap((message) => {
    const { tool_calls, tool_call_id } = message as { tool_calls?: { id: string }[]; tool_call_id?: string };
    return [...(tool_calls ?? []).map(({ id }) => `call ${id}`), ...(tool_call_id ? [`result ${tool_call_id}`] : [])];
  });

it.each([1, 2, 3, 4])("the proxy preset keeps every tool call and every result, in order: conversation %i", (seed) => {
  const chat = toOpenaiChat(longDraft({ turns: 60, seed, toolShare: 0.3 }));
  const whole = counter.countMessages(formats["openai-chat"].decode(chat));
  const tools = counter.countMessages(formats["openai-chat"].decode(chat.filter((one) => idsOf([one]).length > 0)));
  // Room for every tool message, and for a part of the rest.
  const budget = Math.floor(tools + (whole - tools) * 0.5);
  const result = foldSync(chat, { counter, budget, preset: "proxy" });
  expect(result.outcome).toBe("folded");
  expect(result.messages.length).toBeLessThan(chat.length);
  expect(idsOf(chat).length).toBeGreaterThan(10);
  expect(idsOf(result.messages)).toEqual(idsOf(chat));
});

it("where even the tool messages do not fit, the proxy preset folds whole old exchanges and says so", () => {
  const chat = toOpenaiChat(longDraft({ turns: 60, seed: 1, toolShare: 0.6 }));
  const whole = counter.countMessages(formats["openai-chat"].decode(chat));
  const result = foldSync(chat, { counter, budget: Math.floor(whole * 0.3), preset: "proxy" });
  expect(result.plan.rungs).toContain("fold-exchanges");
  const kept = idsOf(result.messages);
  expect(kept.length).toBeGreaterThan(0);
  for (const id of kept)
    expect(kept).toContain(id.replace(/^(call|result)/, (kind) => (kind === "call" ? "result" : "call")));
});
