import { setTimeout as sleep } from "node:timers/promises";
import {
  getCounter,
  isMidfoldError,
  type Message,
  MidfoldError,
  type Part,
  type ToolDefinition,
  textOf,
} from "@midfold/core";
import {
  bodyOf,
  decodeText,
  type NeutralRequest,
  type Protocol,
  type ReplyContext,
  type StreamEvent,
  type UpstreamRequest,
  type UpstreamResponse,
  type Usage,
} from "@midfold/wire";
import { composeDemoReply, type DemoReply } from "./compose-demo-reply.ts";

/** Milliseconds, or what to wait for; a wait must end when the request does. */
export type DemoDelay = number | ((signal: AbortSignal | undefined) => Promise<void>);

export interface DemoOptions {
  readonly protocol: Protocol;
  readonly window: number;
  /** Pause between the pieces of a streamed answer. */
  readonly delayMs: DemoDelay;
  readonly newId: () => string;
  readonly now: () => number;
}

/**
 * The demo model as an upstream: it reads and writes whatever protocol the client uses, enforces its window, and needs
 * no network. The gateway treats it like any other server.
 */
export async function sendToDemo(request: UpstreamRequest, options: DemoOptions): Promise<UpstreamResponse> {
  const { protocol } = options;
  const { body: sent = "" } = request;
  try {
    const text = readSent(sent);
    const asked = protocol.decodeRequest(JSON.parse(text));
    const answer = answerDemo(asked, options.window);
    const reply = replyFor(asked, answer, options);
    if (asked.stream) return respond(200, "text/event-stream", streamOf(asked, answer, reply, request, options));
    const body = protocol.encodeResponse(
      {
        parts: partsOf(answer, options.newId),
        finish: answer.reply.calls.length > 0 ? "tool-calls" : "stop",
        usage: answer.usage,
      },
      reply,
    );
    return respond(200, "application/json", once(JSON.stringify(body)));
  } catch (error) {
    if (!isMidfoldError(error)) throw error;
    const encoded = protocol.encodeError(canonical(error, protocol), options.newId());
    return respond(encoded.status, "application/json", once(JSON.stringify(encoded.body)));
  }
}

/** It runs on the event loop, so larger requests would delay others. */
const maxBytes = 4 * 1024 * 1024;

function readSent(sent: NonNullable<UpstreamRequest["body"]>): string {
  const pieces = typeof sent === "string" ? [] : sent instanceof Uint8Array ? [sent] : sent;
  const size = typeof sent === "string" ? sent.length : pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
  if (size > maxBytes) {
    throw new MidfoldError(
      "BODY_TOO_LARGE",
      `The demo model takes requests of up to ${maxBytes} bytes; this has ${size}.`,
    );
  }
  return typeof sent === "string" ? sent : decodeText(pieces);
}

function canonical(error: MidfoldError, protocol: Protocol): MidfoldError {
  const { limit, input, output } = error.details as { limit?: number; input?: number; output?: number };
  if (error.code !== "UPSTREAM_OVERFLOW" || limit === undefined || input === undefined) return error;
  return protocol.overflowError({ limit, input, ...(output === undefined ? {} : { output }) });
}

function replyFor(request: NeutralRequest, answer: DemoAnswer, options: DemoOptions): ReplyContext {
  return {
    id: `${options.protocol.idPrefix}${options.newId()}`,
    createdAt: Math.floor(options.now() / 1000),
    model: request.model,
    includeUsage: request.includeUsage,
    estimatedInputTokens: answer.usage.inputTokens,
    request,
  };
}

function partsOf({ reply }: DemoAnswer, newId: () => string): Part[] {
  return [
    ...(reply.text === "" ? [] : [{ type: "text" as const, text: reply.text }]),
    ...reply.calls.map((call) => ({ type: "tool-call" as const, id: newId(), name: call.name, input: call.input })),
  ];
}

async function* streamOf(
  asked: NeutralRequest,
  answer: DemoAnswer,
  reply: ReplyContext,
  request: UpstreamRequest,
  options: DemoOptions,
): AsyncGenerator<string> {
  const encoder = options.protocol.createStreamEncoder(reply);
  for (const event of demoEvents(answer, asked.model, options.newId)) {
    if (request.signal?.aborted === true) return;
    const frames = encoder.push(event);
    if (frames === "") continue;
    yield frames;
    if (event.type.endsWith("-delta")) await pause(options.delayMs, request.signal);
  }
}

async function pause(delay: DemoDelay, signal: AbortSignal | undefined): Promise<void> {
  if (typeof delay === "function") await delay(signal);
  else if (delay > 0) await sleep(delay);
}

async function* once(text: string): AsyncGenerator<string> {
  yield text;
}

function respond(status: number, type: string, body: AsyncIterable<string>): UpstreamResponse {
  return { upstream: "demo", status, headers: { "content-type": type }, body: bodyOf(body), attempts: 1 };
}

/** OpenAI's current table: the demo model has no tokens of its own. */
const countsAs = "gpt-4o";

interface DemoAnswer {
  readonly reply: DemoReply;
  readonly usage: Usage;
}

/** The demo model's answer to a request; throws UPSTREAM_OVERFLOW when it is larger than the window. */
function answerDemo(request: NeutralRequest, window: number): DemoAnswer {
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

function demoTokens(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
  const counter = getCounter(countsAs);
  return counter.countMessages(messages) + (tools.length === 0 ? 0 : counter.countTools(tools));
}

/** The answer as it would arrive: a few words at a time, then the tool calls. */
function* demoEvents(answer: DemoAnswer, model: string, newId: () => string): Generator<StreamEvent> {
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
