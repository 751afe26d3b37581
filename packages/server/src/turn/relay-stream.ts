import { isMidfoldError, MidfoldError } from "@midfold/core";
import { type StreamEncoder, type StreamEvent, sseHeaders } from "@midfold/wire";
import type { Reply } from "../http/exchange.ts";
import { noteFailure, noteUsage } from "./finish-turn.ts";
import type { AnswerPiece, AnswerSource } from "./open-answer.ts";
import type { Turn } from "./turn.ts";
import { withPings } from "./with-pings.ts";

/** How pieces of the upstream's answer become bytes for the client. */
export interface StreamWriter {
  write(piece: AnswerPiece): Uint8Array | string;
  /** What is left to say after the last piece. */
  end(): string;
  /** An error in the client's protocol, for a stream that has begun. */
  fail(error: MidfoldError): string;
}

/** Bytes as they are. Only what the upstream did not say itself is written here. */
export function passBytes(fresh: () => StreamEncoder): StreamWriter {
  return {
    write: (piece) => piece.bytes,
    end: () => "",
    fail: (error) => fresh().push({ type: "error", error }),
  };
}

/** Events written anew, for a client that speaks another protocol than the upstream. */
export function translateEvents(encoder: StreamEncoder): StreamWriter {
  return {
    write: (piece) => {
      let frames = "";
      for (const event of piece.events) frames += encoder.push(event);
      return frames;
    },
    end: () => "",
    fail: (error) => encoder.push({ type: "error", error }),
  };
}

export interface RelayOptions {
  readonly writer: StreamWriter;
  readonly headers: Readonly<Record<string, string>>;
  readonly pingMs: number;
  readonly onEnd: () => void;
}

/** Passes an answer on as it arrives, reading no faster than the client does. */
export function relayStream(turn: Turn, source: AnswerSource, options: RelayOptions): Reply {
  turn.record.status = 200;
  const body = withPings(pump(turn, source, options.writer), turn.protocol.keepAlive, options.pingMs);
  return { status: 200, headers: { ...sseHeaders, ...options.headers }, body, onEnd: options.onEnd };
}

async function* pump(turn: Turn, source: AnswerSource, writer: StreamWriter): AsyncGenerator<Uint8Array | string> {
  const { record, request } = turn;
  let ended = false;
  try {
    for (const piece of source.held) {
      const bytes = take(turn, piece, writer);
      if (bytes.length > 0) yield bytes;
    }
    for (;;) {
      const piece = await source.next();
      if (piece === undefined) break;
      const bytes = take(turn, piece, writer);
      if (bytes.length > 0) yield bytes;
      if (record.state === "failed") break;
    }
    ended = true;
    if (record.state !== "failed") {
      const rest = writer.end();
      if (rest !== "") yield rest;
    }
  } catch (thrown) {
    const error = isMidfoldError(thrown)
      ? thrown
      : new MidfoldError("INTERNAL", "The answer could not be read on.", { cause: thrown });
    noteFailure(record, error);
    ended = true;
    // A client that left needs no words; any other end must not look like a clean one.
    if (error.code !== "ABORTED") yield writer.fail(error);
  } finally {
    if (!ended && record.state === "running") {
      noteFailure(
        record,
        isMidfoldError(request.signal.reason) ? request.signal.reason : new MidfoldError("ABORTED", "The client left."),
      );
    }
    await source.cancel();
  }
}

function take(turn: Turn, piece: AnswerPiece, writer: StreamWriter): Uint8Array | string {
  const failure = noteEvents(turn, piece.events);
  const bytes = writer.write(piece);
  // What the upstream said about its failure is in the bytes; a stream that just stopped says nothing itself.
  if (failure === undefined || bytes.length > 0) return bytes;
  return writer.fail(failure);
}

function noteEvents(turn: Turn, events: readonly StreamEvent[]): MidfoldError | undefined {
  for (const event of events) {
    if (event.type === "usage-available" || event.type === "response-start") noteUsage(turn.record, event.usage);
    else if (event.type === "error") {
      noteFailure(turn.record, event.error);
      return event.error;
    }
  }
  return undefined;
}
