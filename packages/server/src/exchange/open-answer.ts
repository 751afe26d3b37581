import { isMidfoldError, MidfoldError } from "@midfold/core";
import {
  createSseParser,
  decodeText,
  type NeutralResponse,
  type Protocol,
  readText,
  type StreamDecoder,
  type StreamEvent,
  type UpstreamResponse,
} from "@midfold/wire";
import type { Destination } from "../upstreams/destination.ts";
import { createFrameSplitter } from "./split-frames.ts";

/** An answer whose beginning was read, so that an error can still be handled here. */
export type Opened =
  | { readonly kind: "failed"; readonly error: MidfoldError; readonly raw: RawFailure | undefined }
  | {
      readonly kind: "whole";
      readonly response: UpstreamResponse;
      readonly text: string;
      readonly answer: NeutralResponse;
    }
  | { readonly kind: "stream"; readonly response: UpstreamResponse; readonly source: AnswerSource };

/** An upstream's error in its own words. */
export interface RawFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Pieces of a running answer: bytes that end with a whole frame, and what those frames said. */
export interface AnswerPiece {
  readonly bytes: Uint8Array;
  readonly events: readonly StreamEvent[];
}

export interface AnswerSource {
  /** What was read before the answer was known to be good. */
  readonly held: readonly AnswerPiece[];
  /** The next piece; undefined at the end. Rejects with a MidfoldError when the answer broke off. */
  next(): Promise<AnswerPiece | undefined>;
  /** Ends the upstream's work at once. */
  cancel(): Promise<void>;
}

const maxAnswerBytes = 64 * 1024 * 1024;
const maxErrorBytes = 256 * 1024;

/** Reads an answer until it is certain to be one and not an error. A short one is complete at once. */
export function openAnswer(
  { protocol }: Destination,
  response: UpstreamResponse,
  createDecoder: () => StreamDecoder,
): Opened | Promise<Opened> {
  if (response.status >= 400) return openFailure(protocol, response);
  const type = response.headers["content-type"] ?? "";
  if (type.startsWith("text/event-stream")) return openStream(response, createSource(response, createDecoder()));
  const arrived = response.body.readRest();
  if (arrived !== undefined) return openWhole(protocol, response, decodeText(arrived));
  return readText(response.body, maxAnswerBytes).then((text) => openWhole(protocol, response, text));
}

async function openFailure(protocol: Protocol, { status, headers, body }: UpstreamResponse): Promise<Opened> {
  const text = await readText(body, maxErrorBytes).catch(() => "");
  const error = protocol.decodeError({ status, body: text, headers });
  return { kind: "failed", error, raw: { status, headers, text } };
}

function openWhole(protocol: Protocol, response: UpstreamResponse, text: string): Opened {
  try {
    return { kind: "whole", response, text, answer: protocol.decodeResponse(JSON.parse(text)) };
  } catch (error) {
    if (isMidfoldError(error)) return { kind: "failed", error, raw: undefined };
    const broken = new MidfoldError("UPSTREAM_BROKEN", `The upstream "${response.upstream}" did not answer in JSON.`);
    return { kind: "failed", error: broken, raw: undefined };
  }
}

/** Holds frames back until the first one that is part of an answer: an error before that can still be handled. */
async function openStream(response: UpstreamResponse, source: AnswerSource & { held: AnswerPiece[] }): Promise<Opened> {
  try {
    for (;;) {
      const piece = await source.next();
      if (piece === undefined) {
        const error = new MidfoldError("UPSTREAM_BROKEN", `The upstream "${response.upstream}" sent an empty stream.`);
        return { kind: "failed", error, raw: undefined };
      }
      source.held.push(piece);
      const decisive = piece.events.find(({ type }) => type !== "response-start" && type !== "usage-available");
      if (decisive === undefined) continue;
      if (decisive.type !== "error") return { kind: "stream", response, source };
      await source.cancel();
      return { kind: "failed", error: decisive.error, raw: undefined };
    }
  } catch (error) {
    if (!isMidfoldError(error) || error.code === "ABORTED") throw error;
    return { kind: "failed", error, raw: undefined };
  }
}

function createSource(response: UpstreamResponse, decoder: StreamDecoder): AnswerSource & { held: AnswerPiece[] } {
  const { body } = response;
  const splitter = createFrameSplitter();
  const parser = createSseParser();
  let ended = false;
  const decode = (bytes: Uint8Array): StreamEvent[] => {
    const events: StreamEvent[] = [];
    for (const event of parser.push(bytes)) events.push(...decoder.push(event));
    return events;
  };
  return {
    held: [],
    next: async () => {
      while (!ended) {
        const chunk = await body.read();
        if (chunk !== undefined) {
          const bytes = splitter.push(chunk);
          if (bytes !== undefined) return { bytes, events: decode(bytes) };
          continue;
        }
        ended = true;
        const rest = splitter.end();
        const events = [...decode(rest)];
        for (const event of parser.end()) events.push(...decoder.push(event));
        events.push(...decoder.end());
        // A last frame without its empty line is kept only if it completes the answer.
        const broken = events.some(({ type }) => type === "error");
        const bytes = broken || rest.byteLength === 0 ? new Uint8Array() : Buffer.concat([rest, Buffer.from("\n\n")]);
        if (bytes.byteLength > 0 || events.length > 0) return { bytes, events };
      }
      return undefined;
    },
    cancel: async () => {
      ended = true;
      await body.cancel();
    },
  };
}
