import { isMidfoldError } from "@midfold/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSseParser } from "./create-sse-parser.ts";
import { encodeSse, encodeSseData, sseComment } from "./encode-sse.ts";
import type { SseEvent } from "./sse-event.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function parse(stream: Uint8Array, cuts: readonly number[]): SseEvent[] {
  const parser = createSseParser();
  const places = [...new Set(cuts.map((cut) => cut % (stream.length + 1)))].sort((a, b) => a - b);
  const events: SseEvent[] = [];
  let from = 0;
  for (const place of [...places, stream.length]) {
    events.push(...parser.push(stream.subarray(from, place)));
    from = place;
  }
  return [...events, ...parser.end()];
}

describe("B3.45 the stream parser", () => {
  const cases: readonly (readonly [string, string, SseEvent[]])[] = [
    ["named event", "event: a\ndata: 1\n\n", [{ event: "a", data: "1" }]],
    ["no space after the colon", "data:1\n\n", [{ event: "", data: "1" }]],
    ["only one space is the separator", "data:  1\n\n", [{ event: "", data: " 1" }]],
    ["several data lines", "data: a\ndata: b\n\n", [{ event: "", data: "a\nb" }]],
    ["CRLF", "event: a\r\ndata: 1\r\n\r\n", [{ event: "a", data: "1" }]],
    [
      "lone CR",
      "data: 1\r\rdata: 2\r\r",
      [
        { event: "", data: "1" },
        { event: "", data: "2" },
      ],
    ],
    ["comments and unknown fields", ": hi\nid: 7\nretry: 3\ndata: 1\n\n", [{ event: "", data: "1" }]],
    ["byte order mark", "\ufeffdata: 1\n\n", [{ event: "", data: "1" }]],
    ["no data, no event", "event: a\n\n", []],
    ["last event without an empty line", "data: 1", [{ event: "", data: "1" }]],
    ["field without a colon", "data\n\n", [{ event: "", data: "" }]],
    ["empty", "", []],
  ];
  it.each(cases)("%s", (_, stream, expected) => {
    expect(parse(bytes(stream), [])).toEqual(expected);
    for (let cut = 0; cut <= stream.length; cut++) expect(parse(bytes(stream), [cut])).toEqual(expected);
    expect(
      parse(
        bytes(stream),
        Array.from({ length: 200 }, (__, at) => at),
      ),
    ).toEqual(expected);
  });

  it("reads back what the encoder writes, wherever the bytes are cut", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("", "a", "message_start"), fc.jsonValue(), fc.boolean()), { maxLength: 6 }),
        fc.array(fc.nat(5000), { maxLength: 30 }),
        (sent, cuts) => {
          const stream = sent
            .map(
              ([event, data, quiet]) =>
                (quiet ? sseComment : "") + (event ? encodeSse(event, data) : encodeSseData(data)),
            )
            .join("");
          const expected = sent.map(([event, data]) => ({ event, data: JSON.stringify(data) }));
          expect(parse(bytes(stream), cuts)).toEqual(expected);
        },
      ),
    );
  });

  it("takes a line of several megabytes in small pieces, and refuses one over the limit", () => {
    const long = "x".repeat(3 * 1024 * 1024);
    const stream = bytes(`data: ${long}\n\n`);
    const parser = createSseParser();
    const events: SseEvent[] = [];
    for (let at = 0; at < stream.length; at += 1024) events.push(...parser.push(stream.subarray(at, at + 1024)));
    expect(events).toHaveLength(1);
    expect(events[0]?.data.length).toBe(long.length);
    const strict = createSseParser({ maxLineLength: 1000 });
    expect(() => strict.push(stream)).not.toThrow();
    const stuck = createSseParser({ maxLineLength: 1000 });
    try {
      stuck.push(bytes(`data: ${"x".repeat(2000)}`));
      expect.unreachable();
    } catch (error) {
      expect(isMidfoldError(error, "UPSTREAM_BROKEN")).toBe(true);
    }
  });
});
