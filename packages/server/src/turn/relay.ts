import { isMidfoldError, MidfoldError } from "@midfold/core";
import {
  createBodyCollector,
  createSseParser,
  type ReplyTranslationOptions,
  type StreamEncoder,
  type StreamEvent,
  sseHeaders,
  streamAnswer,
  translateAnswer,
} from "@midfold/wire";
import type { AnswerPiece, AnswerSource, Opened } from "../exchange/open-answer.ts";
import type { HttpReply } from "../http/http-message.ts";
import { type Ending, noteEventWords, notePartWords, noteUsage } from "./ending.ts";
import type { Turn } from "./turn.ts";

interface RelayOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly ending: Ending;
  readonly onEnd: () => void;
}

export interface WholeOptions extends RelayOptions {
  readonly translation: ReplyTranslationOptions;
  /**
   * Called with the answer as the client gets it, or its text; the client waits for the returned promise.
   */
  readonly onAnswer: (answer: unknown) => Promise<void> | undefined;
}

/**
 * Passes on an answer that arrived in one piece: byte for byte where the protocols are the same, as a stream if one was
 * requested.
 */
export function relayWhole(
  turn: Turn,
  opened: Extract<Opened, { kind: "whole" }>,
  options: WholeOptions,
): HttpReply | Promise<HttpReply> {
  const { headers, onEnd, translation, ending, onAnswer } = options;
  const { status } = opened.response;
  noteUsage(ending, opened.answer.usage);
  notePartWords(ending, opened.answer.parts);
  ending.status = status;
  if (turn.stream) {
    const body = streamAnswer(opened.answer, translation);
    return { status, headers: { ...sseHeaders, ...headers }, body, onEnd };
  }
  const reply = { status, headers: { "content-type": "application/json", ...headers }, onEnd };
  const answer = turn.sameProtocol ? opened.text : translateAnswer(opened.answer, translation);
  const kept = onAnswer(answer);
  const body = typeof answer === "string" ? answer : JSON.stringify(answer);
  return kept === undefined ? { ...reply, body } : kept.then(() => ({ ...reply, body }));
}

/** Collects a stream that was not requested into the one body the client expects. */
export async function gatherWhole(
  { source }: Extract<Opened, { kind: "stream" }>,
  { translation, headers, ending, onEnd, onAnswer }: WholeOptions,
): Promise<HttpReply> {
  const collector = createBodyCollector(translation);
  const parser = createSseParser();
  for (const { bytes, events } of source.held) {
    for (const event of parser.push(bytes)) collector.push(event);
    for (const event of events) noteEventWords(ending, event);
  }
  for (;;) {
    const piece = await source.next();
    if (piece === undefined) break;
    for (const event of parser.push(piece.bytes)) collector.push(event);
    const failed = piece.events.find((event) => event.type === "error");
    if (failed?.type === "error") throw failed.error;
    for (const event of piece.events) {
      noteEventWords(ending, event);
      if (event.type === "usage-available") noteUsage(ending, event.usage);
    }
  }
  const answer = collector.end();
  await onAnswer(answer);
  const body = JSON.stringify(answer);
  if (body === undefined) throw new MidfoldError("UPSTREAM_BROKEN", "The upstream's stream held no answer.");
  ending.status = 200;
  return { status: 200, headers: { "content-type": "application/json", ...headers }, body, onEnd };
}

/** How pieces of the upstream's answer become bytes for the client. */
export interface StreamWriter {
  write(piece: AnswerPiece): Uint8Array | string;
  /** An error in the client's protocol, for a stream that has begun. */
  fail(error: MidfoldError): string;
}

/** Bytes unchanged. Only what the upstream did not send itself is written here. `onFrames` gets those that end the answer. */
export function passBytes(fresh: () => StreamEncoder, onFrames: (frames: string) => void): StreamWriter {
  return {
    write: ({ bytes, events }) => {
      if (events.some(({ type }) => type === "finish")) onFrames(Buffer.from(bytes).toString());
      return bytes;
    },
    fail: (error) => fresh().push({ type: "error", error }),
  };
}

/** Events written again, for a client with another protocol than the upstream. */
export function translateEvents(encoder: StreamEncoder, onFrames: (frames: string) => void): StreamWriter {
  return {
    write: (piece) => {
      let frames = "";
      for (const event of piece.events) frames += encoder.push(event);
      onFrames(frames);
      return frames;
    },
    fail: (error) => encoder.push({ type: "error", error }),
  };
}

export interface StreamOptions extends RelayOptions {
  readonly writer: StreamWriter;
  readonly pingMs: number;
  /** The end of the stream waits for this, so that a client that continues the answer finds it. */
  readonly beforeEnd: () => Promise<void> | undefined;
}

/** Passes an answer on as it arrives, reading no faster than the client does. */
export function relayStream(turn: Turn, source: AnswerSource, options: StreamOptions): HttpReply {
  const { ending, onEnd } = options;
  ending.status = 200;
  const body = withPings(pump(turn, source, options), turn.protocol.keepAlive, options.pingMs);
  return { status: 200, headers: { ...sseHeaders, ...options.headers }, body, onEnd };
}

async function* pump(
  { request }: Turn,
  source: AnswerSource,
  { writer, ending, beforeEnd }: StreamOptions,
): AsyncGenerator<Uint8Array | string> {
  let ended = false;
  try {
    for (const piece of source.held) {
      const bytes = take(piece, writer, ending);
      if (bytes.length > 0) yield bytes;
    }
    while (ending.error === undefined) {
      const piece = await source.next();
      if (piece === undefined) break;
      const bytes = take(piece, writer, ending);
      if (bytes.length > 0) yield bytes;
    }
    await beforeEnd();
    ended = true;
  } catch (thrown) {
    const error = isMidfoldError(thrown)
      ? thrown
      : new MidfoldError("INTERNAL", "The answer could not be read on.", { cause: thrown });
    ending.error = error;
    ended = true;
    // A client that disconnected reads no error. All others must be told, or the answer would look complete.
    if (error.code !== "ABORTED") yield writer.fail(error);
  } finally {
    if (!ended && ending.error === undefined) {
      const { reason } = request.signal;
      ending.error = isMidfoldError(reason) ? reason : new MidfoldError("ABORTED", "The client left.");
    }
    await source.cancel();
  }
}

function take(piece: AnswerPiece, writer: StreamWriter, ending: Ending): Uint8Array | string {
  const failure = noteEvents(ending, piece.events);
  const bytes = writer.write(piece);
  // If the upstream reports its failure, these bytes contain it. If the stream just stopped, an error is written here.
  if (failure === undefined || bytes.length > 0) return bytes;
  return writer.fail(failure);
}

function noteEvents(ending: Ending, events: readonly StreamEvent[]): MidfoldError | undefined {
  for (const event of events) {
    noteEventWords(ending, event);
    if (event.type === "usage-available" || event.type === "response-start") noteUsage(ending, event.usage);
    else if (event.type === "error") {
      ending.error = event.error;
      return event.error;
    }
  }
  return undefined;
}

/**
 * The same pieces, with a ping whenever none came for `everyMs`, since clients and proxies give up on silence. Pings
 * are sent between pieces, never inside one.
 */
export async function* withPings(
  pieces: AsyncGenerator<Uint8Array | string>,
  ping: string,
  everyMs: number,
): AsyncGenerator<Uint8Array | string> {
  let timer: NodeJS.Timeout | undefined;
  let wake: ((value: "ping") => void) | undefined;
  const arm = () => {
    timer = setTimeout(() => wake?.("ping"), everyMs);
  };
  try {
    for (;;) {
      const next = pieces.next();
      let piece: IteratorResult<Uint8Array | string> | "ping";
      do {
        const silence = new Promise<"ping">((resolve) => {
          wake = resolve;
        });
        if (timer === undefined) arm();
        else timer.refresh();
        piece = await Promise.race([next, silence]);
        if (piece === "ping") yield ping;
      } while (piece === "ping");
      if (piece.done === true) return;
      yield piece.value;
    }
  } finally {
    clearTimeout(timer);
    await pieces.return(undefined);
  }
}
