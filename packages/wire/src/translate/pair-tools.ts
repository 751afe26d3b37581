import type { Message, Part, ToolCallPart, ToolResultPart } from "@midfold/core";

/** What stands for the result of a call that never got one. */
export const missingOutput = "[no output]";

/**
 * Puts the result of every tool call right behind the message that made it, in the order of the calls. A call without
 * a result gets a stand-in, a second result replaces the first, and a result without a call becomes words of the user.
 * What else was said before the results arrived follows them. A message with more calls than allowed is split.
 */
export function pairTools(messages: readonly Message[], maxCalls: number): Message[] {
  const paired: Message[] = [];
  let open: Exchange | undefined;
  for (const message of messages) {
    const calls = message.role === "assistant" ? callsOf(message) : [];
    if (calls.length > 0) {
      close(open, maxCalls, paired);
      open = { message, calls, results: new Map(), rest: [] };
      for (const call of calls) open.results.set(call.id, undefined);
      continue;
    }
    const rest = takeResults(message, open);
    if (rest === undefined) continue;
    if (open === undefined) paired.push(rest);
    else open.rest.push(rest);
  }
  close(open, maxCalls, paired);
  return paired;
}

interface Exchange {
  readonly message: Message;
  readonly calls: readonly ToolCallPart[];
  readonly results: Map<string, ToolResultPart | undefined>;
  readonly rest: Message[];
}

function callsOf(message: Message): ToolCallPart[] {
  return message.parts.filter((part): part is ToolCallPart => part.type === "tool-call" && part.hosted !== true);
}

/** The message without the results that answer an open call; undefined when nothing is left of it. */
function takeResults(message: Message, open: Exchange | undefined): Message | undefined {
  if (!message.parts.some((part) => part.type === "tool-result" && part.hosted !== true)) return message;
  const kept: Part[] = [];
  for (const part of message.parts) {
    if (part.type !== "tool-result" || part.hosted === true) kept.push(part);
    else if (open?.results.has(part.callId)) open.results.set(part.callId, part);
    else kept.push(...orphanAsWords(part));
  }
  if (kept.length === 0) return undefined;
  return { ...message, role: message.role === "tool" ? "user" : message.role, parts: kept };
}

function orphanAsWords(result: ToolResultPart): Part[] {
  const label = `[Result of ${result.name ?? "a tool"}, whose call is no longer part of the conversation]`;
  return [{ type: "text", text: label }, ...result.content];
}

function close(exchange: Exchange | undefined, maxCalls: number, paired: Message[]): void {
  if (exchange === undefined) return;
  const { message, calls, results, rest } = exchange;
  for (let from = 0; from < calls.length; from += maxCalls) {
    const batch = calls.slice(from, from + maxCalls);
    paired.push(calls.length <= maxCalls ? message : { ...message, parts: batchParts(message, calls, from, maxCalls) });
    for (const call of batch) {
      const result = results.get(call.id) ?? missingResult(call);
      paired.push({ role: "tool", parts: [result.name === undefined ? { ...result, name: call.name } : result] });
    }
  }
  for (const left of rest) paired.push(left);
}

function batchParts(message: Message, calls: readonly ToolCallPart[], from: number, maxCalls: number): Part[] {
  const batch = new Set<Part>(calls.slice(from, from + maxCalls));
  const all = new Set<Part>(calls);
  return message.parts.filter((part) => (all.has(part) ? batch.has(part) : from === 0));
}

function missingResult(call: ToolCallPart): ToolResultPart {
  const result = { type: "tool-result", callId: call.id, content: [{ type: "text", text: missingOutput }] } as const;
  return call.custom === true ? { ...result, custom: true } : result;
}
