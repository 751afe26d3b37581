import { setTimeout as sleep } from "node:timers/promises";
import { isMidfoldError, MidfoldError, type Part } from "@midfold/core";
import {
  bodyOf,
  decodeText,
  type NeutralRequest,
  type Protocol,
  type Reply,
  type UpstreamRequest,
  type UpstreamResponse,
} from "@midfold/wire";
import { answerDemo, type DemoAnswer, demoEvents } from "./answer-demo.ts";

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
 * The demo model as an upstream: it reads and writes whatever protocol the client speaks, enforces its window, and needs
 * no network. To the gateway it is a server like any other.
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

/** It reads on the event loop: more than this would hold up others, and no provider takes any length either. */
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

function replyFor(request: NeutralRequest, answer: DemoAnswer, options: DemoOptions): Reply {
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
  reply: Reply,
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
