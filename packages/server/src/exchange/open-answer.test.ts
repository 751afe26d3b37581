import { MidfoldError } from "@midfold/core";
import { protocols, type UpstreamResponse } from "@midfold/wire";
import { describe, expect, it } from "vitest";
import type { Destination } from "../upstreams/destination.ts";
import { type Opened, openAnswer } from "./open-answer.ts";

const protocol = protocols["openai-chat"];
const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({
    ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "m" },
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
const frame = (data: string) => `data: ${data}\n\n`;
const start = frame(chunk({ role: "assistant" }));
const hello = frame(chunk({ content: "Hello" }));
const done = frame(chunk({}, "stop")) + frame("[DONE]");
const whole = JSON.stringify({
  ...{ id: "c", object: "chat.completion", created: 1, model: "m" },
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
});

interface Arrival {
  readonly status?: number;
  readonly type?: string;
  /** What arrives, piece by piece. */
  readonly pieces: readonly string[];
  /** Everything is there at once. */
  readonly atOnce?: boolean;
  /** After the last piece the connection breaks. */
  readonly breaks?: MidfoldError;
}

async function open({ status = 200, type = "text/event-stream", pieces, atOnce = false, breaks }: Arrival) {
  const left = pieces.map((piece) => Buffer.from(piece));
  const seen = { cancelled: 0 };
  const body = {
    readRest: () => (atOnce ? left.splice(0) : undefined),
    read: async () => {
      const next = left.shift();
      if (next === undefined && breaks !== undefined) throw breaks;
      return next;
    },
    cancel: async () => {
      seen.cancelled += 1;
    },
  } as unknown as UpstreamResponse["body"];
  const response: UpstreamResponse = { upstream: "u", status, headers: { "content-type": type }, body, attempts: 1 };
  const opened = await openAnswer({ protocol } as Destination, response, () => protocol.createStreamDecoder());
  return { opened, seen };
}

async function readAll(opened: Opened) {
  if (opened.kind !== "stream") throw new Error(`it is ${opened.kind}`);
  const pieces = [...opened.source.held];
  for (let piece = await opened.source.next(); piece !== undefined; piece = await opened.source.next()) {
    pieces.push(piece);
  }
  const types = pieces.flatMap(({ events }) => events.map(({ type }) => type));
  return { bytes: Buffer.concat(pieces.map(({ bytes }) => bytes)).toString(), types, held: opened.source.held.length };
}

describe("an answer that comes whole", () => {
  it.each([true, false])("is read, whether it is there at once (%s) or in pieces", async (atOnce) => {
    const pieces = [whole.slice(0, 20), whole.slice(20)];
    const { opened } = await open({ type: "application/json", pieces, atOnce });
    expect(opened).toMatchObject({ kind: "whole", text: whole, answer: { parts: [{ type: "text", text: "ok" }] } });
  });

  it.each([
    ["is no JSON", "not this", { code: "UPSTREAM_BROKEN", message: 'The upstream "u" did not answer in JSON.' }],
    ["is an error with a status of success", '{"error":{"message":"Busy","type":"server_error"}}', { message: "Busy" }],
  ])("and %s, is a failure without the upstream's words", async (_, text, error) => {
    const { opened } = await open({ type: "application/json", pieces: [text], atOnce: true });
    expect(opened).toMatchObject({ kind: "failed", error, raw: undefined });
  });
});

describe("an answer with a status of failure", () => {
  const said = '{"error":{"message":"No such model","type":"invalid_request_error","code":"model_not_found"}}';

  it.each([400, 404, 500])("%i is one, in the upstream's own words, whatever its type is", async (status) => {
    for (const type of ["application/json", "text/event-stream"]) {
      const { opened } = await open({ status, type, pieces: [said], atOnce: true });
      expect(opened).toMatchObject({
        kind: "failed",
        error: { message: "No such model" },
        raw: { status, text: said, headers: { "content-type": type } },
      });
    }
  });

  it("is one too where its words cannot be read", async () => {
    const breaks = new MidfoldError("UPSTREAM_BROKEN", "It broke off.");
    const { opened } = await open({ status: 500, pieces: [], breaks });
    expect(opened).toMatchObject({ kind: "failed", raw: { status: 500, text: "" } });
  });
});

describe("an answer that is streamed", () => {
  it("is open with its first word; what came before is held, and nothing is lost", async () => {
    const text = start + hello + done;
    const { opened, seen } = await open({ pieces: [start, hello, done] });
    expect(opened).toMatchObject({ kind: "stream", response: { upstream: "u" } });
    const { bytes, types, held } = await readAll(opened);
    expect([bytes, held]).toEqual([text, 2]);
    expect(types).toContain("finish");
    expect(types).not.toContain("error");
    expect(seen.cancelled).toBe(0);
  });

  it("in pieces that cut frames and letters apart is passed on in whole frames", async () => {
    const text = start + frame(chunk({ content: "Grüße" })) + done;
    const bytes = Buffer.from(text);
    for (const size of [1, 7, 50]) {
      const left = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const body = { readRest: () => undefined, read: async () => left.shift(), cancel: async () => undefined };
      const response = { upstream: "u", status: 200, headers: { "content-type": "text/event-stream" }, body };
      const opened = await openAnswer({ protocol } as Destination, response as never, () =>
        protocol.createStreamDecoder(),
      );
      const read = await readAll(opened);
      expect(read.bytes).toBe(text);
      if (opened.kind === "stream") {
        for (const piece of opened.source.held) expect(Buffer.from(piece.bytes).toString()).toMatch(/\n\n$/);
      }
    }
  });

  it("and begins with an error is a failure, and the upstream is let go", async () => {
    const { opened, seen } = await open({
      pieces: [start, frame('{"error":{"message":"Overloaded","type":"server_error"}}'), hello],
    });
    expect(opened).toMatchObject({ kind: "failed", error: { message: "Overloaded" }, raw: undefined });
    expect(seen.cancelled).toBe(1);
  });

  it("without one event is a failure that says so", async () => {
    const { opened } = await open({ pieces: [] });
    expect(opened.kind).toBe("failed");
    if (opened.kind === "failed") expect(opened.error.code).toBe("UPSTREAM_BROKEN");
  });

  it("and breaks off before its first word is a failure; a cancelled one is no answer at all", async () => {
    const broken = new MidfoldError("UPSTREAM_BROKEN", "It broke off.");
    expect((await open({ pieces: [start], breaks: broken })).opened).toMatchObject({ kind: "failed", error: broken });
    const aborted = new MidfoldError("ABORTED", "Cancelled.");
    await expect(open({ pieces: [start], breaks: aborted })).rejects.toBe(aborted);
    const other = new TypeError("a mistake of ours") as never;
    await expect(open({ pieces: [start], breaks: other })).rejects.toBe(other);
  });

  it("and ends without its last empty line is completed; in the middle of a frame, that frame is left out", async () => {
    const complete = await readAll((await open({ pieces: [hello, frame(chunk({}, "stop")), "data: [DONE]"] })).opened);
    expect(complete.bytes).toBe(hello + frame(chunk({}, "stop")) + frame("[DONE]"));
    expect(complete.types).not.toContain("error");
    const cut = await readAll((await open({ pieces: [hello, hello.slice(0, 20)] })).opened);
    expect(cut.bytes).toBe(hello);
    expect(cut.types.at(-1)).toBe("error");
  });

  it("is not read any further once it was let go", async () => {
    const { opened, seen } = await open({ pieces: [hello, hello, done] });
    if (opened.kind !== "stream") throw new Error("it is none");
    await opened.source.cancel();
    expect(seen.cancelled).toBe(1);
    expect(await opened.source.next()).toBeUndefined();
  });
});
