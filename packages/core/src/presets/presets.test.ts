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

it.each([1, 2, 3, 4])(
  "R0 1.4 the proxy preset keeps every tool call and every result, in order: conversation %i",
  (seed) => {
    const chat = toOpenaiChat(longDraft({ turns: 60, seed, toolShare: 0.3 }));
    const whole = counter.countMessages(formats["openai-chat"].decode(chat));
    const result = foldSync(chat, { counter, budget: Math.floor(whole * 0.8), preset: "proxy" });
    expect(result.outcome).toBe("folded");
    expect(result.messages.length).toBeLessThan(chat.length);
    expect(idsOf(chat).length).toBeGreaterThan(10);
    expect(idsOf(result.messages)).toEqual(idsOf(chat));
  },
);
