import { MidfoldError } from "@midfold/core";
import type { SseEvent } from "./sse-event.ts";

export interface SseParserOptions {
  /** The longest line accepted, in characters. Whole answers with images arrive in one line, so it is generous. */
  readonly maxLineLength?: number;
}

export interface SseParser {
  /** Takes the next bytes, split anywhere, and returns the events they complete. */
  push(bytes: Uint8Array): SseEvent[];
  /** Takes the end of the stream: a last event without its empty line still counts. */
  end(): SseEvent[];
}

/**
 * An incremental parser of server-sent events. Lines may end in LF, CRLF or CR, characters may be split between
 * chunks, comments and unknown fields are skipped. Each chunk is searched once, so a line that arrives in many pieces
 * costs linear time. Throws UPSTREAM_BROKEN when a line is longer than allowed.
 */
export function createSseParser({ maxLineLength = 64 * 1024 * 1024 }: SseParserOptions = {}): SseParser {
  const decoder = new TextDecoder();
  let partial = "";
  let event = "";
  let data: string | undefined;
  // A CR at the very end of a chunk may be the first half of a CRLF.
  let skipLineFeed = false;

  const takeLine = (line: string, events: SseEvent[]): void => {
    if (line === "") {
      if (data !== undefined) events.push({ event, data });
      event = "";
      data = undefined;
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1);
    if (field === "data") data = data === undefined ? value : `${data}\n${value}`;
    else if (field === "event") event = value;
  };

  const takeText = (text: string, events: SseEvent[]): void => {
    let start = skipLineFeed && text.charCodeAt(0) === 10 ? 1 : 0;
    if (text !== "") skipLineFeed = false;
    const hasReturns = text.includes("\r");
    for (;;) {
      const end = hasReturns ? nextLineEnd(text, start) : text.indexOf("\n", start);
      if (end < 0) break;
      takeLine(partial === "" ? text.slice(start, end) : partial + text.slice(start, end), events);
      partial = "";
      start = end + 1;
      if (text.charCodeAt(end) !== 13) continue;
      if (start === text.length) skipLineFeed = true;
      else if (text.charCodeAt(start) === 10) start++;
    }
    if (start < text.length) partial += text.slice(start);
    if (partial.length > maxLineLength) {
      throw new MidfoldError("UPSTREAM_BROKEN", `The upstream sent a line of more than ${maxLineLength} characters.`, {
        retryable: false,
      });
    }
  };

  return {
    push(bytes) {
      const events: SseEvent[] = [];
      takeText(decoder.decode(bytes, { stream: true }), events);
      return events;
    },
    end() {
      const events: SseEvent[] = [];
      takeText(decoder.decode(), events);
      if (partial !== "") takeLine(partial, events);
      takeLine("", events);
      partial = "";
      return events;
    },
  };
}

function nextLineEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10 || code === 13) return at;
  }
  return -1;
}
