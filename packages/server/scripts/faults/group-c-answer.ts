import { startSimulator } from "@midfold/testkit";
import { type Check, check, ms, require, requireEqual, waitFor } from "./check.ts";
import { simConfig, startChild } from "./child-gateway.ts";
import { dialects, status, streamed } from "./dialects.ts";
import { chat, hello, posts, withStage, words } from "./setup.ts";

export const answerChecks: readonly Check[] = [
  check("C12", "redirect", withStage, {}, async (stage) => {
    const response = await status(stage, { kind: "redirect", location: "http://127.0.0.1:1/evil" });
    requireEqual(response.status, 502, "status");
    return "502, not followed";
  }),
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
  check(
    "C14",
    "UTF-8 split at every byte",
    withStage,
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
  check("C16", "gzip bomb as answer", withStage, {}, async (stage) => {
    const response = await status(stage, { kind: "gzip-bomb", bytes: 1_000_000_000, layers: 2 });
    requireEqual(response.status, 502, "status");
    requireEqual(posts(stage.simulator)[0]?.headers["accept-encoding"], "identity", "accept-encoding");
    return "502, unpacked no further than any answer may be long; nothing but identity is asked for";
  }),
  check("C17", "HTML instead of JSON; wrong content type", withStage, {}, async (stage) => {
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
  check(
    "C18",
    "a second response nobody asked for",
    withStage,
    { upstream: { script: (turn) => ({ text: `answer ${turn.index}` }) } },
    async (stage) => {
      const first = await (await status(stage, { kind: "extra-bytes" })).json().catch(() => ({}));
      const second = await (await stage.gateway.post(chat, hello, { authorization: "Bearer other" })).json();
      requireEqual(second.choices?.[0]?.message?.content, "answer 1", "the next tenant's answer");
      return `first ${first.choices?.[0]?.message?.content ?? first.error?.code ?? "failed"}, next tenant got its own`;
    },
  ),
  check(
    "C19",
    "usage missing, negative, huge",
    withStage,
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
  check("C20", "upstream down, then back", withStage, {}, async ({ simulator, gateway }) => {
    simulator.failNext({ kind: "status", status: 503 }, 6);
    for (let i = 0; i < 12; i++) await gateway.post(chat, hello);
    const during = simulator.counts.requests;
    require(during <= 6, `${during} calls while it was down`);
    const took = await waitFor(async () => (await gateway.post(chat, hello)).status === 200, 20_000, "recovery");
    return `${during} calls for 12 requests while down, answers again ${ms(took)} later, after a failed and a good probe`;
  }),
];
