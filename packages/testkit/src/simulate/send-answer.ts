import { begin, type Exchange, finish, pause, reset, sendJson, untilGone, write } from "./exchange.ts";
import type { Fault } from "./fault.ts";
import type { AnswerContext, Frame, Protocol } from "./protocol.ts";
import type { RawReply, Reply, StreamManner } from "./reply.ts";

export interface Answer {
  readonly protocol: Protocol;
  readonly reply: Reply;
  readonly context: AnswerContext;
  /** A fault that strikes while the answer is on its way. */
  readonly fault: Fault | undefined;
}

/** Sends what the model said, as JSON or as a stream, with the manner and the mid-way fault that were asked for. */
export async function sendAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const { protocol, reply, context } = answer;
  if (reply.raw !== undefined) return sendRaw(exchange, reply.raw);
  if (context.turn.stream && reply.stream?.ignoreStream !== true) return sendStream(exchange, answer);
  const body = Buffer.from(JSON.stringify(protocol.json(reply, context)));
  const { fault } = answer;
  const contentType = fault?.kind === "content-type" ? fault.value : "application/json";
  begin(exchange, 200, { "content-type": contentType, "content-length": String(body.length), ...reply.headers });
  if (fault?.kind === "drip") {
    for (const byte of body) {
      await pause(exchange, fault.delayMs);
      if (!(await write(exchange, Uint8Array.of(byte)))) return;
    }
    return finish(exchange);
  }
  if (fault !== undefined && "afterFrames" in fault) {
    // Without frames, half of the body stands for them.
    await write(exchange, body.subarray(0, body.length >> 1));
    return fault.kind === "stall" ? untilGone(exchange) : reset(exchange);
  }
  await finish(exchange, body);
}

async function sendRaw(exchange: Exchange, { status = 200, headers = {}, pieces }: RawReply): Promise<void> {
  begin(exchange, status, headers);
  for (const piece of pieces) {
    if (!(await write(exchange, piece))) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await finish(exchange);
}

async function sendStream(exchange: Exchange, { protocol, reply, context, fault }: Answer): Promise<void> {
  const contentType = fault?.kind === "content-type" ? fault.value : "text/event-stream; charset=utf-8";
  begin(exchange, 200, { "content-type": contentType, "cache-control": "no-cache", ...reply.headers });
  const drip = fault?.kind === "drip" ? { writeBytes: 1, pauseMs: fault.delayMs } : undefined;
  const manner = reply.stream ?? {};
  if (manner.byteOrderMark === true) await write(exchange, "\uFEFF");
  let sent = 0;
  for (const frame of protocol.frames(reply, context)) {
    if (fault !== undefined && "afterFrames" in fault && sent >= (fault.afterFrames ?? 0)) {
      return breakOff(exchange, { protocol, context, manner, fault, frame });
    }
    await pause(exchange, manner.delayMs ?? 0);
    if (sent === manner.hold?.afterFrames) await Promise.race([manner.hold.until, untilGone(exchange)]);
    const bytes = Buffer.from(encodeFrame(frame, manner));
    if (!(await writePieces(exchange, bytes, drip?.writeBytes ?? manner.writeBytes, drip?.pauseMs ?? 0))) return;
    sent += 1;
  }
  await finish(exchange);
}

/** Small writes go out one by one: without the pause Node would join them again. */
async function writePieces(
  exchange: Exchange,
  bytes: Buffer,
  size: number | undefined,
  pauseMs: number,
): Promise<boolean> {
  if (size === undefined) return write(exchange, bytes);
  for (let from = 0; from < bytes.length; from += size) {
    if (!(await write(exchange, bytes.subarray(from, from + size)))) return false;
    if (pauseMs > 0) await pause(exchange, pauseMs);
    else await new Promise((resolve) => setImmediate(resolve));
  }
  return true;
}

async function breakOff(
  exchange: Exchange,
  at: {
    readonly protocol: Protocol;
    readonly context: AnswerContext;
    readonly manner: StreamManner;
    readonly fault: Extract<Fault, { afterFrames?: number }>;
    readonly frame: Frame;
  },
): Promise<void> {
  const { fault, frame, manner } = at;
  switch (fault.kind) {
    case "stall":
      return untilGone(exchange);
    case "reset":
      // What was written must reach the client before the reset overtakes it.
      await pause(exchange, 20);
      return reset(exchange);
    case "cut": {
      if (fault.half === true) {
        const whole = Buffer.from(encodeFrame(frame, manner));
        await write(exchange, whole.subarray(0, whole.length >> 1));
      }
      return finish(exchange);
    }
    case "error-event": {
      const problem = {
        status: 200,
        type: fault.type ?? "overloaded_error",
        message: fault.message ?? "Overloaded",
      };
      await write(exchange, encodeFrame(at.protocol.errorFrame(problem, at.context), manner));
      return finish(exchange);
    }
  }
}

/** One event in the wire form of server-sent events, with the liberties that the standard grants. */
export function encodeFrame(frame: Frame, manner: StreamManner = {}): string {
  const newline = manner.newline ?? "\n";
  const colon = manner.tight === true ? ":" : ": ";
  const lines: string[] = [];
  if (manner.comments === true) lines.push(": keep-alive", "");
  if (frame.event !== undefined) lines.push(`event${colon}${frame.event}`);
  const data =
    manner.multiline === true && frame.data.startsWith("{")
      ? JSON.stringify(JSON.parse(frame.data), null, 1)
      : frame.data;
  for (const line of data.split("\n")) lines.push(`data${colon}${line}`);
  return `${lines.join(newline)}${newline}${newline}`;
}

export async function sendProblem(
  exchange: Exchange,
  protocol: Protocol,
  problem: Parameters<Protocol["errorBody"]>[0],
): Promise<void> {
  exchange.recorded.outcome.problem = problem.message;
  await sendJson(exchange, problem.status, protocol.errorBody(problem), protocol.errorHeaders());
}
