import { isMidfoldError } from "@midfold/core";
import { type Fault, type Simulator, startSimulator } from "@midfold/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readText } from "./read-text.ts";
import { createUpstreamClient } from "./upstream-client.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await startSimulator({ protocol: "openai-chat", script: () => ({ text: "one two three four five" }) });
});
afterAll(() => simulator.close());

const ask = (stream: boolean) => ({
  path: "/v1/chat/completions",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content: "hello" }], stream }),
  expects: [stream ? "text/event-stream" : "application/json"],
});

/** Short only for what never comes: on a busy machine an ordinary answer takes its time too. */
function impatience({ kind }: Fault) {
  return { firstByte: kind === "silence" ? 150 : 30_000, idle: kind === "stall" ? 150 : 30_000 };
}

/** What a caller sees: the code it fails with and where, or the status and text it gets. */
async function outcome(fault: Fault, stream: boolean, times = 1) {
  const client = createUpstreamClient({
    random: () => 0,
    deadlines: impatience(fault),
    limits: { lineBytes: 100_000, responseBytes: 1_000_000 },
  });
  const upstream = { name: "simulated", baseUrl: simulator.url, headers: { authorization: "Bearer key" } };
  const before = simulator.requests.length;
  simulator.failNext(fault, times);
  let at = "answer";
  try {
    const response = await client.send(upstream, ask(stream));
    at = "body";
    const text = await readText(response.body, 1e7);
    return { status: response.status, text, calls: simulator.requests.length - before };
  } catch (error) {
    const code = isMidfoldError(error) ? error.code : String(error);
    return { code, at, calls: simulator.requests.length - before };
  } finally {
    await client.close();
  }
}

describe("group C of the fault list, through the client", () => {
  test.each<[string, Fault, boolean, object]>([
    ["C2 no answer", { kind: "silence" }, false, { code: "UPSTREAM_TIMEOUT", at: "answer", calls: 1 }],
    ["C3 stall in a stream", { kind: "stall", afterFrames: 2 }, true, { code: "UPSTREAM_TIMEOUT", at: "body" }],
    ["C4 reset in a stream", { kind: "reset", afterFrames: 2 }, true, { code: "UPSTREAM_BROKEN", at: "body" }],
    ["C4 reset before headers", { kind: "reset" }, true, { code: "UPSTREAM_UNREACHABLE", at: "answer", calls: 1 }],
    ["C7 nothing, then an answer", { kind: "empty" }, false, { status: 200, calls: 2 }],
    ["C8 429 with a short wait", { kind: "status", status: 429, retryAfter: "0" }, false, { status: 200, calls: 2 }],
    ["C8 429 with a long wait", { kind: "status", status: 429, retryAfter: "3600" }, false, { status: 429, calls: 1 }],
    ["C9 529 once", { kind: "status", status: 529 }, false, { status: 200, calls: 2 }],
    ["C12 redirect", { kind: "redirect", location: "http://127.0.0.1:1/" }, false, { code: "UPSTREAM_BROKEN" }],
    ["C13 a line without end", { kind: "huge-line", bytes: 500_000 }, true, { code: "UPSTREAM_BROKEN", at: "body" }],
    ["C16 gzip bomb", { kind: "gzip-bomb", bytes: 10_000_000 }, false, { code: "UPSTREAM_BROKEN", at: "body" }],
    ["C17 HTML page", { kind: "html", status: 200 }, false, { code: "UPSTREAM_BROKEN", at: "answer" }],
    ["a dripping answer", { kind: "drip", delayMs: 0 }, true, { status: 200, calls: 1 }],
  ])("%s", async (_, fault, stream, expected) => {
    expect(await outcome(fault, stream)).toMatchObject(expected);
  });

  test("C9 500 for ever: three calls, then the answer itself", async () => {
    expect(await outcome({ kind: "status", status: 500 }, false, 3)).toMatchObject({ status: 500, calls: 3 });
  });

  test("C18 bytes behind an answer do not reach the next one", async () => {
    expect(await outcome({ kind: "extra-bytes" }, false)).toMatchObject({ status: 200 });
    const next = await outcome({ kind: "delay", delayMs: 1 }, false);
    expect(next).toMatchObject({ status: 200 });
    expect(JSON.parse((next as { text: string }).text).choices[0].message.content).toBe("one two three four five");
  });
});
