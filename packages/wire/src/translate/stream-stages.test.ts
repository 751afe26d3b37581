import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StreamEvent } from "../neutral/stream-event.ts";
import { createLocalStop, createPrefillStripper, runStages, type StreamStage } from "./stream-stages.ts";

/** Sends a text through a stage in pieces and returns what comes out, with the way it ended. */
function send(stage: StreamStage, pieces: readonly string[]) {
  const events: StreamEvent[] = [
    { type: "text-start", index: 0 },
    ...pieces.filter((text) => text !== "").map((text) => ({ type: "text-delta", index: 0, text }) as const),
    { type: "text-end", index: 0 },
    { type: "finish", reason: "stop" },
  ];
  const out = events.flatMap((event) => runStages([stage], [event]));
  const text = out.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
  return {
    text,
    finish: out.findLast((event) => event.type === "finish"),
    ends: out.filter(({ type }) => type === "text-end").length,
  };
}
const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });

describe("B1.20 stop sequences enforced on the answer", () => {
  it("may be more than fit on the stack", () => {
    const stage = createLocalStop([...new Array<string>(300_000).fill("nobody says this"), "stop"]);
    expect(send(stage, ["go st", "op here"]).text).toBe("go ");
  });

  it("cut a stream, however it is split, where they cut the whole text", () => {
    fc.assert(
      fc.property(
        fc.array(letters, { maxLength: 6 }),
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 2, maxLength: 4 }), {
          minLength: 1,
          maxLength: 3,
        }),
        (pieces, stops) => {
          const all = pieces.join("");
          const ends = stops.map((stop) => all.indexOf(stop)).filter((at) => at >= 0);
          const reason = ends.length === 0 ? "stop" : "stop-sequence";
          const whole = send(createLocalStop(stops), [all]);
          expect(whole).toMatchObject({
            text: all.slice(0, Math.min(all.length, ...ends)),
            ends: 1,
            finish: { reason },
          });
          const streamed = send(createLocalStop(stops), pieces);
          expect(streamed).toMatchObject({ ends: 1, finish: { reason } });
          // Whichever stop is complete first wins in a stream; where it cuts is never later than in the whole text.
          if (reason === "stop") expect(streamed.text).toBe(all);
          else expect(all.startsWith(streamed.text)).toBe(true);
          for (const stop of stops) expect(streamed.text).not.toContain(stop);
        },
      ),
    );
  });
});

describe("B1.26 a repeated start of the answer", () => {
  it("is cut from a stream, however it is split, as from the whole text", () => {
    fc.assert(
      fc.property(
        letters.filter((text) => text !== ""),
        fc.array(letters, { maxLength: 6 }),
        fc.boolean(),
        (prefill, pieces, repeats) => {
          const all = repeats ? [prefill.slice(0, 2), prefill.slice(2), ...pieces] : pieces;
          const streamed = send(createPrefillStripper(prefill), all);
          const text = all.join("");
          expect(streamed.text).toBe(text.startsWith(prefill) ? text.slice(prefill.length) : text);
          if (repeats) expect(streamed.text).toBe(pieces.join(""));
        },
      ),
    );
  });
});
