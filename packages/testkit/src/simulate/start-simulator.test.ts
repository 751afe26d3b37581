import { afterEach, describe, expect, test } from "vitest";
import type { Fault } from "./fault.ts";
import { type OverflowFlavour, overflowFlavours } from "./overflow-flavours.ts";
import type { CallQuirk, StreamManner } from "./reply.ts";
import type { Simulator, SimulatorOptions } from "./simulator.ts";
import { startSimulator } from "./start-simulator.ts";
import { createToolLoop } from "./tool-loop.ts";

const open: Simulator[] = [];
const start = async (options: Partial<SimulatorOptions> = {}) => {
  const simulator = await startSimulator({ protocol: "openai-chat", ...options });
  open.push(simulator);
  return simulator;
};
afterEach(async () => {
  for (const simulator of open.splice(0)) await simulator.close();
});

const post = (simulator: Simulator, body: object, init: RequestInit = {}) =>
  fetch(`${simulator.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: "Bearer k", "content-type": "application/json" },
    body: JSON.stringify({ model: "sim", messages: [{ role: "user", content: "hi" }], ...body }),
    redirect: "manual",
    ...init,
  });

describe("faults", () => {
  const fail = async (fault: Fault, body: object = { stream: true }) => {
    const simulator = await start({
      script: () => ({ text: "one two three four five six", stream: { deltaChars: 4 } }),
    });
    simulator.failNext(fault);
    return { simulator, response: await post(simulator, body) };
  };

  test("statuses come with retry-after, as often as asked", async () => {
    const simulator = await start();
    simulator.failNext({ kind: "status", status: 429, retryAfter: "7" }, 2);
    const statuses = [];
    for (let call = 0; call < 3; call++) {
      const response = await post(simulator, {});
      statuses.push([response.status, response.headers.get("retry-after")]);
      await response.text();
    }
    expect(statuses).toEqual([
      [429, "7"],
      [429, "7"],
      [200, null],
    ]);
    expect(simulator.counts).toMatchObject({ requests: 3, faults: 2, answered: 1 });
  });

  test("cut: the body ends without [DONE], half a frame last", async () => {
    const { response } = await fail({ kind: "cut", afterFrames: 3, half: true });
    const text = await response.text();
    expect(text.match(/data: /g)).toHaveLength(4);
    expect(text).not.toContain("[DONE]");
    expect(text.endsWith("\n\n")).toBe(false);
  });

  test("reset: the body fails", async () => {
    const { response } = await fail({ kind: "reset", afterFrames: 2 });
    await expect(response.text()).rejects.toThrow();
  });

  test("reset before the headers: the request fails", async () => {
    await expect(fail({ kind: "reset" })).rejects.toThrow();
  });

  test("error-event: the stream ends with an error object", async () => {
    const { response } = await fail({ kind: "error-event", afterFrames: 2, message: "sorry" });
    expect(response.status).toBe(200);
    expect((await response.text()).trimEnd()).toMatch(/"message":"sorry".*\}$/);
  });

  test("redirect, html, empty, no-events, not-json, content-type", async () => {
    const redirect = await fail({ kind: "redirect", location: "http://127.0.0.1:1/" });
    expect([redirect.response.status, redirect.response.headers.get("location")]).toEqual([302, "http://127.0.0.1:1/"]);
    expect(await (await fail({ kind: "html", status: 502 })).response.text()).toContain("<html>");
    expect(await (await fail({ kind: "empty" })).response.text()).toBe("");
    expect(await (await fail({ kind: "no-events" })).response.text()).not.toContain("data:");
    await expect((await fail({ kind: "not-json" })).response.json()).rejects.toThrow();
    const odd = await fail({ kind: "content-type", value: "text/plain" });
    expect(odd.response.headers.get("content-type")).toBe("text/plain");
    expect(await odd.response.text()).toContain("[DONE]");
  });

  test("huge-line and gzip-bomb are as large as asked", async () => {
    const line = await (await fail({ kind: "huge-line", bytes: 3_000_000 })).response.text();
    expect(line.trimEnd()).toHaveLength(3_000_006);
    const bomb = await (await fail({ kind: "gzip-bomb", bytes: 5_000_000 }, {})).response.arrayBuffer();
    expect(bomb.byteLength).toBe(5_000_000);
  });

  test("drip: byte by byte, and yet whole", async () => {
    const { response } = await fail({ kind: "drip", delayMs: 0 }, {});
    expect(await response.json()).toMatchObject({ choices: [{ message: { content: "one two three four five six" } }] });
  });

  test.each<Fault>([{ kind: "silence" }, { kind: "stall", afterFrames: 2 }])(
    "$kind: waits until the client leaves, and notes when",
    async (fault) => {
      const simulator = await start();
      simulator.failNext(fault);
      const leaving = new AbortController();
      const asked = post(simulator, { stream: true }, { signal: leaving.signal }).then((response) => response.text());
      await simulator.waitFor(({ requests }) => requests[0]?.outcome.fault !== undefined);
      expect(simulator.counts.aborted).toBe(0);
      leaving.abort();
      await expect(asked).rejects.toThrow();
      await simulator.waitFor(({ counts }) => counts.aborted === 1);
      const [request] = simulator.requests;
      expect(request?.outcome.abortedAt).toBeGreaterThan(request?.receivedAt ?? 0);
      await simulator.waitFor(({ connections }) => connections[0]?.closedAt !== undefined);
    },
  );

  test("extra-bytes: a client that keeps the connection meets bytes nobody asked for", async () => {
    const { createConnection } = await import("node:net");
    const simulator = await start();
    simulator.failNext({ kind: "extra-bytes" });
    const body = JSON.stringify({ model: "sim", messages: [{ role: "user", content: "hi" }] });
    const socket = createConnection(simulator.port, "127.0.0.1");
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer k\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    let seen = "";
    for await (const chunk of socket) {
      seen += String(chunk);
      if (seen.includes("nobody")) break;
    }
    expect(seen.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });
});

describe("liberties of a legal stream", () => {
  test.each<StreamManner>([
    { newline: "\r\n" },
    { newline: "\r" },
    { comments: true, tight: true },
    { multiline: true, byteOrderMark: true },
    { writeBytes: 1 },
  ])("%j keeps the bytes of the text", async (manner) => {
    const text = "é🚀漢字 done";
    const simulator = await start({ script: () => ({ text, stream: { deltaChars: 2, ...manner } }) });
    const raw = (await (await post(simulator, { stream: true })).text()).replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
    const events = raw.split("\n\n").map((event) =>
      event
        .split("\n")
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.replace(/^data: ?/, ""))
        .join("\n"),
    );
    const said = events
      .filter((data) => data.startsWith("{"))
      .map((data) => JSON.parse(data).choices[0]?.delta.content ?? "")
      .join("");
    expect(said).toBe(text);
  });
});

describe("careless servers", () => {
  const spoken = async (callQuirk: CallQuirk) => {
    const calls = [{ name: "read_file", input: { path: "a" }, id: "call_a" }];
    const simulator = await start({ script: () => ({ calls, stream: { callQuirk, deltaChars: 5 } }) });
    const raw = await (await post(simulator, { stream: true })).text();
    const frames = [...raw.matchAll(/^data: (\{.*)$/gm)].map((match) => JSON.parse(match[1] ?? ""));
    return frames.flatMap((frame) => frame.choices[0]?.delta.tool_calls ?? []);
  };

  test("spell their calls as told", async () => {
    expect((await spoken("no-index")).every((call) => call.index === undefined && call.id === "call_a")).toBe(true);
    const late = await spoken("late-id");
    expect([late[0].id, late.at(-1).id]).toEqual([undefined, "call_a"]);
    const split = await spoken("split-name");
    expect([split[0].function.name, split[1].function.name]).toEqual(["read_", "file"]);
    expect((await spoken("repeated-name")).every((call) => call.function.name === "read_file")).toBe(true);
    expect((await spoken("object-arguments"))[1].function.arguments).toEqual({ path: "a" });
  });

  test("send whatever bytes they like", async () => {
    const simulator = await start({
      script: () => ({
        raw: { status: 207, headers: { "x-odd": "1" }, pieces: ["da", "ta: é".slice(0, 4), new Uint8Array([0xff])] },
      }),
    });
    const response = await post(simulator, {});
    expect([response.status, response.headers.get("x-odd")]).toEqual([207, "1"]);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(
      Buffer.concat([Buffer.from("data: "), Buffer.from([0xff])]),
    );
  });
});

describe("windows", () => {
  test.each(Object.keys(overflowFlavours) as OverflowFlavour[])("%s", async (flavour) => {
    const simulator = await start({ window: 300, flavour });
    const long = { messages: [{ role: "user", content: "word ".repeat(400) }] };
    const body = (await (await post(simulator, long)).json()) as object;
    const silent = flavour === "ollama" || flavour === "lmstudio-empty";
    expect(simulator.counts).toMatchObject(silent ? { overflows: 0, truncated: 1 } : { overflows: 1, truncated: 0 });
    if (flavour === "ollama") expect(body).toMatchObject({ usage: { prompt_tokens: 300 } });
    else if (!silent) expect(JSON.stringify(body)).toMatch(/context|too long|token|length|size/i);
    const short = await post(simulator, {});
    expect(short.status).toBe(200);
    expect(await short.json()).toMatchObject({ choices: [{}] });
  });

  test("output counts where the server says so", async () => {
    const simulator = await start({ window: 300, flavour: "vllm" });
    const response = await post(simulator, { max_tokens: 299 });
    expect(await response.text()).toContain("'max_tokens' or 'max_completion_tokens' is too large: 299.");
  });

  test("a scaled count stands for another tokenizer", async () => {
    const counts = [];
    for (const countScale of [1, 1.5]) {
      const simulator = await start({ countScale });
      await post(simulator, { messages: [{ role: "user", content: "word ".repeat(100) }] });
      counts.push(simulator.requests[0]?.outcome.inputTokens ?? 0);
    }
    expect(counts[1]).toBe(Math.ceil((counts[0] ?? 0) * 1.5));
  });

  test("a repeated prefix is reported as cached, an altered one is not", async () => {
    const simulator = await start();
    const head = Array.from({ length: 20 }, (_, index) => ({
      role: "user",
      content: `${index} ${"word ".repeat(90)}`,
    }));
    for (const messages of [
      head,
      [...head, { role: "user", content: "more" }],
      [{ role: "user", content: "other" }, ...head],
    ]) {
      await post(simulator, { messages });
    }
    const [first, second, third] = simulator.requests.map((request) => request.outcome.cachedTokens);
    expect(first).toBe(0);
    expect(second).toBeGreaterThan(1_500);
    expect(third).toBe(0);
  });
});

describe("limits and keys", () => {
  test("no key, the wrong key, too large a body, no JSON, an unknown path", async () => {
    const simulator = await start({ apiKey: "right", maxBodyBytes: 1_000 });
    const status = async (init: RequestInit) => (await post(simulator, {}, init)).status;
    expect(await status({ headers: {} })).toBe(401);
    expect(await status({ headers: { authorization: "Bearer wrong" } })).toBe(401);
    expect(await status({ headers: { authorization: "Bearer right" } })).toBe(200);
    expect(await status({ body: JSON.stringify("x".repeat(2_000)) })).toBe(413);
    expect(await status({ body: "{" })).toBe(400);
    expect((await fetch(`${simulator.url}/v1/nothing`, { method: "POST" })).status).toBe(404);
    expect(simulator.requests.at(-2)?.raw.toString()).toBe("{");
  });
});

test("a tool loop advances by its own results, however the history looks", async () => {
  const loop = createToolLoop({
    turns: 3,
    call: (turn, tools) => (tools.includes("bash") ? { name: "bash", input: { turn } } : undefined),
  });
  const simulator = await start({ script: loop.script });
  const tools = [{ type: "function", function: { name: "bash", parameters: {} } }];
  let call: { id: string } | undefined;
  for (let step = 0; step < 4; step++) {
    const answered =
      call === undefined
        ? []
        : [
            { role: "assistant", content: null, tool_calls: [call] },
            { role: "tool", tool_call_id: call.id, content: "done" },
          ];
    const body = { tools, messages: [{ role: "user", content: "go" }, ...answered] };
    const { choices } = (await (await post(simulator, body)).json()) as {
      choices: { message: { tool_calls?: { id: string }[] } }[];
    };
    call = choices[0]?.message.tool_calls?.[0];
  }
  expect(loop.completed()).toBe(3);
  expect(loop.closed()).toBe(true);
  await post(simulator, { messages: [{ role: "user", content: "summarize" }] });
  expect(loop.asides()).toHaveLength(1);
});
