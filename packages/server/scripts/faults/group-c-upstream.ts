import type { Fault, SimulatedProtocol } from "@midfold/testkit";
import { startSimulator } from "@midfold/testkit";
import OpenAI from "openai";
import { type Check, ms, require, requireEqual, waitFor } from "./check.ts";
import { simConfig, startChild } from "./child-gateway.ts";
import { chat, hello, posts, type Stage, withDemo, withStage, words } from "./setup.ts";

const streamed = { ...hello, stream: true };
const long = { upstream: { script: () => ({ text: words(30) }) } };

/** Each client protocol with what ends its streams well and what says that they did not. */
const dialects: readonly {
  readonly path: string;
  readonly body: object;
  readonly good: RegExp;
  readonly bad: RegExp;
  readonly protocol: SimulatedProtocol;
}[] = [
  { path: chat, body: streamed, good: /\[DONE\]/, bad: /data: \{"error":/, protocol: "openai-chat" },
  {
    path: "/v1/messages",
    body: { ...streamed, max_tokens: 500 },
    good: /message_stop|end_turn/,
    bad: /event: error\ndata: \{"type":"error"/,
    protocol: "anthropic-messages",
  },
  {
    path: "/v1/responses",
    body: { model: "gpt-4o", stream: true, input: "hi" },
    good: /response\.completed/,
    bad: /event: (?:response\.failed|error)/,
    protocol: "openai-responses",
  },
];

/** The same fault in the stream of every client protocol, over an upstream of the same and of another protocol. */
async function everyDialect(fault: Fault, options: Parameters<typeof withStage>[0] = {}): Promise<string> {
  let seen = 0;
  let early = 0;
  for (const { path, body, good, bad, protocol } of dialects) {
    for (const upstream of [protocol, protocol === "openai-chat" ? "anthropic-messages" : "openai-chat"] as const) {
      await withStage(
        { ...long, ...options, upstream: { ...long.upstream, protocol: upstream } },
        async ({ simulator, gateway }) => {
          simulator.failNext(fault);
          const response = await gateway.post(path, body);
          const text = await response.text();
          const where = `${path} over ${upstream}`;
          require(!good.test(text), `${where} looks complete`);
          seen += 1;
          if (response.status >= 500) {
            // Nothing of the answer had been passed on yet, so that the status can still say it.
            require(typeof JSON.parse(text).error === "object", `${where}: ${text.slice(0, 200)}`);
            early++;
            return;
          }
          require(bad.test(text), `${where} has no error event: …${text.slice(-200)}`);
          for (const frame of text.split("\n\n").filter((part) => part !== "")) {
            const data = frame.split("\n").find((line) => line.startsWith("data: "));
            if (data !== undefined && data !== "data: [DONE]") JSON.parse(data.slice(6));
          }
        },
      );
    }
  }
  return `${seen} pairs: ${seen - early} end with the client's own error event, ${early} with a status`;
}

async function status(stage: Stage, fault: Fault, times = 1): Promise<Response> {
  stage.simulator.failNext(fault, times);
  return stage.gateway.post(chat, hello);
}

export const upstreamChecks: readonly Check[] = [
  {
    id: "C1",
    fault: "connection refused; name not found",
    run: async () => {
      const took: string[] = [];
      for (const baseUrl of ["http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1"]) {
        await withDemo(
          { yaml: JSON.stringify({ upstreams: { down: { baseUrl } }, routes: [{ model: "*", upstream: "down" }] }) },
          async ({ post }) => {
            const startedAt = performance.now();
            const { status: answered } = await post(chat, hello);
            // The model list is asked for as well; together they may already have opened the breaker.
            require(answered === 502 || answered === 503, `${baseUrl}: ${answered}`);
            const elapsed = performance.now() - startedAt;
            require(elapsed < 15_000, `took ${ms(elapsed)}`);
            took.push(ms(elapsed));
          },
        );
      }
      return `502 or 503 after ${took.join(" and ")}`;
    },
  },
  {
    id: "C2",
    fault: "accepts and never answers",
    run: () =>
      withStage({ deadlines: { firstByte: "700ms" } }, async (stage) => {
        requireEqual((await status(stage, { kind: "silence" }, 3)).status, 504, "status");
        requireEqual(stage.simulator.counts.requests, 1, "upstream calls");
        return "504 at the first-byte deadline, not retried";
      }),
  },
  {
    id: "C3",
    fault: "stall mid-stream",
    run: () => everyDialect({ kind: "stall", afterFrames: 4 }, { deadlines: { idle: "500ms" } }),
  },
  {
    id: "C4",
    fault: "reset and premature end mid-stream",
    run: async () =>
      `${await everyDialect({ kind: "reset", afterFrames: 4 })}; ${await everyDialect({ kind: "cut", afterFrames: 4 })}`,
  },
  {
    id: "C5",
    fault: "half a frame, then the end",
    run: () => everyDialect({ kind: "cut", afterFrames: 4, half: true }),
  },
  {
    id: "C6",
    fault: "error event inside a 200",
    run: () => everyDialect({ kind: "error-event", afterFrames: 4, message: "it broke" }),
  },
  {
    id: "C7",
    fault: "200 with an empty body; 200 with no events",
    run: () =>
      withStage({}, async (stage) => {
        const empty = await status(stage, { kind: "empty" });
        requireEqual(empty.status, 200, "after a retry");
        stage.simulator.failNext({ kind: "no-events" });
        const silent = await stage.gateway.post(chat, streamed);
        require(silent.status >= 500, `no events: ${silent.status}`);
        return `empty: tried again; no events: ${silent.status}`;
      }),
  },
  {
    id: "C8",
    fault: "429 with retry-after 1, 3600, garbage",
    run: () =>
      withStage({}, async (stage) => {
        requireEqual((await status(stage, { kind: "status", status: 429, retryAfter: "1" })).status, 200, "1 s");
        const hour = await status(stage, { kind: "status", status: 429, retryAfter: "3600" });
        requireEqual(hour.status, 429, "1 h");
        requireEqual(hour.headers.get("retry-after"), "3600", "retry-after");
        requireEqual((await status(stage, { kind: "status", status: 429, retryAfter: "soon" })).status, 200, "garbage");
        return "waits a second, hands an hour on, shrugs at garbage";
      }),
  },
  {
    id: "C9",
    fault: "500, 502, 503, 529 for ever",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        simulator.failNext({ kind: "status", status: 500 }, 1_000);
        const answers = await Promise.all(
          Array.from({ length: 60 }, async () => (await gateway.post(chat, hello)).status),
        );
        require(answers.every((code) => code >= 500), "a success");
        require(simulator.counts.requests <= 60 * 1.6, `${simulator.counts.requests} upstream calls for 60 requests`);
        return `60 requests made ${simulator.counts.requests} upstream calls, the rest was stopped by the retry budget and the breaker`;
      }),
  },
  {
    id: "C10",
    fault: "connection lost after the body was sent",
    run: () =>
      withStage({}, async (stage) => {
        requireEqual((await status(stage, { kind: "reset" })).status, 502, "status");
        requireEqual(stage.simulator.counts.requests, 1, "upstream calls");
        return "502, not sent twice";
      }),
  },
  {
    id: "C11",
    fault: "the client's retries times ours",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        simulator.failNext({ kind: "status", status: 503 }, 1_000);
        const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "k", maxRetries: 2 });
        await client.chat.completions.create(hello as never).catch(() => undefined);
        require(simulator.counts.requests <= 9, `${simulator.counts.requests} calls`);
        return `${simulator.counts.requests} upstream calls for one call with two client retries`;
      }),
  },
  {
    id: "C12",
    fault: "redirect",
    run: () =>
      withStage({}, async (stage) => {
        const response = await status(stage, { kind: "redirect", location: "http://127.0.0.1:1/evil" });
        requireEqual(response.status, 502, "status");
        return "502, not followed";
      }),
  },
  {
    id: "C13",
    fault: "one stream line of 64 MB",
    run: async () => {
      const simulator = await startSimulator({ protocol: "openai-chat" });
      const child = await startChild({ config: simConfig(simulator.url), env: { SIM_KEY: "k" } });
      try {
        const post = () =>
          fetch(`${child.url}${chat}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(streamed),
          });
        await (await post()).text();
        const before = child.memory();
        simulator.failNext({ kind: "huge-line", bytes: 64 * 1024 * 1024 });
        const response = await post();
        const text = await response.text();
        const grown = child.memory() - before;
        require(response.status >= 500 || /"error"/.test(text), `status ${response.status}: ${text.slice(0, 100)}`);
        require(grown < 80, `memory grew by ${grown.toFixed(0)} MB`);
        return `refused at the line limit, memory +${grown.toFixed(0)} MB`;
      } finally {
        await child.stop();
        await simulator.close();
      }
    },
  },
  {
    id: "C14",
    fault: "UTF-8 split at every byte",
    run: () =>
      withStage(
        { upstream: { script: () => ({ text: "Grüße 🚀 这是", stream: { writeBytes: 1, deltaChars: 2 } }) } },
        async ({ gateway }) => {
          for (const { path, body } of dialects) {
            const text = await (await gateway.post(path, body)).text();
            const said = [...text.matchAll(/"(?:content|text|delta)":"((?:[^"\\]|\\.)*)"/g)]
              .map(([, piece]) => JSON.parse(`"${piece}"`))
              .join("");
            require(said.includes("Grüße 🚀 这是"), `${path}: ${said.slice(0, 60)}`);
          }
          return "intact in all three protocols";
        },
      ),
  },
  {
    id: "C15",
    fault: "CRLF, CR, comments, several data lines, BOM",
    run: async () => {
      const manners = [
        { newline: "\r\n" },
        { newline: "\r" },
        { comments: true },
        { multiline: true },
        { byteOrderMark: true },
        { tight: true },
        { omitDone: true },
      ] as const;
      for (const manner of manners) {
        await withStage(
          { upstream: { script: () => ({ text: words(4), stream: { ...manner, writeBytes: 7 } }) } },
          async ({ gateway }) => {
            const text = await (await gateway.post("/v1/messages", { ...streamed, max_tokens: 500 })).text();
            require(text.includes("message_stop"), `${JSON.stringify(manner)}: ${text.slice(-200)}`);
            const same = await (await gateway.post(chat, streamed)).text();
            require(!same.includes('"error"'), `${JSON.stringify(manner)} passed through: ${same.slice(-200)}`);
          },
        );
      }
      return `${manners.length} ways of writing a stream`;
    },
  },
  {
    id: "C16",
    fault: "gzip bomb as answer",
    run: () =>
      withStage({}, async (stage) => {
        const response = await status(stage, { kind: "gzip-bomb", bytes: 1_000_000_000, layers: 2 });
        requireEqual(response.status, 502, "status");
        requireEqual(posts(stage.simulator)[0]?.headers["accept-encoding"], "identity", "accept-encoding");
        return "502, never inflated; nothing but identity is asked for";
      }),
  },
  {
    id: "C17",
    fault: "HTML instead of JSON; wrong content type",
    run: () =>
      withStage({}, async (stage) => {
        for (const fault of [
          { kind: "html", status: 200 },
          { kind: "html", status: 502 },
          { kind: "not-json" },
          { kind: "content-type", value: "text/plain" },
        ] as const) {
          const response = await status(stage, fault, 3);
          const body = await response.json();
          require(response.status >= 500, `${fault.kind}: ${response.status}`);
          require(typeof body.error.message === "string" &&
            body.error.message.length < 600, `${fault.kind}: ${JSON.stringify(body).slice(0, 200)}`);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        return "5xx in the client's envelope with a short excerpt";
      }),
  },
  {
    id: "C18",
    fault: "a second response nobody asked for",
    run: () =>
      withStage({ upstream: { script: (turn) => ({ text: `answer ${turn.index}` }) } }, async (stage) => {
        const first = await (await status(stage, { kind: "extra-bytes" })).json().catch(() => ({}));
        const second = await (await stage.gateway.post(chat, hello, { authorization: "Bearer other" })).json();
        requireEqual(second.choices?.[0]?.message?.content, "answer 1", "the next tenant's answer");
        return `first ${first.choices?.[0]?.message?.content ?? first.error?.code ?? "failed"}, next tenant got its own`;
      }),
  },
  {
    id: "C19",
    fault: "usage missing, negative, huge",
    run: () =>
      withStage(
        {
          upstream: {
            script: (turn) => ({
              text: "ok",
              usage:
                [
                  { where: "never" as const },
                  { inputTokens: -5, outputTokens: -1 },
                  { inputTokens: 1e15, outputTokens: 1e15 },
                ][turn.index] ?? {},
            }),
          },
        },
        async ({ gateway }) => {
          for (let i = 0; i < 3; i++) {
            const response = await gateway.post("/v1/messages", {
              model: "gpt-4o",
              max_tokens: 50,
              messages: hello.messages,
            });
            const { usage } = await response.json();
            require(usage.input_tokens >= 0 && usage.output_tokens >= 0, JSON.stringify(usage));
          }
          const { items } = await (await fetch(`${gateway.url}/api/console/requests`)).json();
          for (const { usage } of items)
            require(usage === null || (usage.input >= 0 && usage.input < 1e9), JSON.stringify(usage));
          return "estimated or left out, never negative";
        },
      ),
  },
  {
    id: "C20",
    fault: "upstream down, then back",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        simulator.failNext({ kind: "status", status: 503 }, 6);
        for (let i = 0; i < 12; i++) await gateway.post(chat, hello);
        const during = simulator.counts.requests;
        require(during <= 6, `${during} calls while it was down`);
        const took = await waitFor(async () => (await gateway.post(chat, hello)).status === 200, 20_000, "recovery");
        return `${during} calls for 12 requests while down, answers again ${ms(took)} later, after a failed and a good probe`;
      }),
  },
];
