import { getCounter, type Message, MidfoldError, type ToolDefinition, textOf } from "@midfold/core";
import type { NeutralRequest, StreamEvent, Usage } from "@midfold/wire";
import { composeDemoReply, type DemoReply } from "./compose-demo-reply.ts";

/** OpenAI's current table: the demo model has no tokens of its own. */
const countsAs = "gpt-4o";

export interface DemoAnswer {
  readonly reply: DemoReply;
  readonly usage: Usage;
}

/** What the demo model makes of a request; throws UPSTREAM_OVERFLOW when it is larger than the window. */
export function answerDemo(request: NeutralRequest, window: number): DemoAnswer {
  const inputTokens = demoTokens([...request.system, ...request.messages], request.tools);
  const wanted = request.maxOutputTokens ?? 0;
  if (inputTokens + Math.min(wanted, Math.floor(window / 2)) > window) {
    throw new MidfoldError("UPSTREAM_OVERFLOW", `The demo model's window of ${window} tokens is full.`, {
      details: { limit: window, input: inputTokens, ...(inputTokens <= window ? { output: wanted } : {}) },
    });
  }
  const reply = composeDemoReply({
    messages: request.messages,
    system: request.system.map(textOf).join("\n\n"),
    tools: request.toolChoice?.type === "none" ? [] : request.tools,
    inputTokens,
    window,
  });
  const said = [reply.text, ...reply.calls.flatMap((call) => [call.name, call.input])].join("\n");
  return { reply, usage: { inputTokens, outputTokens: getCounter(countsAs).count(said) } };
}

export function demoTokens(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
  const counter = getCounter(countsAs);
  return counter.countMessages(messages) + (tools.length === 0 ? 0 : counter.countTools(tools));
}

/** The answer as it would arrive: a few words at a time, then the tool calls. */
export function* demoEvents(answer: DemoAnswer, model: string, newId: () => string): Generator<StreamEvent> {
  const { reply, usage } = answer;
  yield { type: "response-start", id: newId(), model, usage: { inputTokens: usage.inputTokens, outputTokens: 0 } };
  let index = 0;
  if (reply.text !== "") {
    yield { type: "text-start", index };
    for (const piece of reply.text.match(/\s*\S+\s?/g) ?? []) yield { type: "text-delta", index, text: piece };
    yield { type: "text-end", index };
    index += 1;
  }
  for (const call of reply.calls) {
    yield { type: "tool-call-start", index, id: newId(), name: call.name };
    for (let at = 0; at < call.input.length; at += 24) {
      yield { type: "tool-call-delta", index, text: call.input.slice(at, at + 24) };
    }
    yield { type: "tool-call-end", index };
    index += 1;
  }
  yield { type: "usage-available", usage };
  yield { type: "finish", reason: reply.calls.length > 0 ? "tool-calls" : "stop" };
}
