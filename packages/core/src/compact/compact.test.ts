import { describe, expect, it } from "vitest";
import { formats } from "../formats/formats.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import type { Summarizer, SummaryRequest } from "../summary/summarizer.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { compact, compactPreset } from "./compact.ts";
import { parseCompactConfig } from "./compact-config.ts";

const call = (id: string, text: string) => ({
  role: "assistant",
  content: text,
  tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } }],
});
const result = (id: string, text: string) => ({ role: "tool", tool_call_id: id, content: text });

/** The example conversation of the compaction document, at its natural length. */
const scenario = [
  { role: "user", content: "Can you debug this code?" },
  call("1", "Let me take a look."),
  result(
    "1",
    "export function load(port) {\n  const body = fetch(host + port + '/items/7f3a9c');\n  return JSON.parse(body);\n}",
  ),
  {
    role: "assistant",
    content:
      "I found the issue: the call to port 8431 can fail, and nothing catches the error, so item 7f3a9c is never loaded.",
  },
  call("2", "Let me fix it."),
  result("2", "Success"),
  { role: "assistant", content: "The fix is applied. Here's what I changed: a try/catch block around the call." },
  { role: "user", content: "Can you explain why that fixed it?" },
];
const retold =
  "I debugged the code by identifying an issue with error handling, then fixed it by adding proper try/catch blocks and applied the patch successfully.";

/** The same scenario with work long enough to be worth compacting without a model. */
const long = scenario.map((message) =>
  message.role === "tool" && message.content !== "Success"
    ? { ...message, content: `${message.content}\n`.repeat(20) }
    : message,
);
const repeated = (times: number) => Array.from({ length: times }, () => structuredClone(long)).flat();

function model(text: string | ((request: SummaryRequest) => string)): Summarizer & { requests: SummaryRequest[] } {
  const requests: SummaryRequest[] = [];
  return {
    name: "model",
    requests,
    summarize: async (request) => {
      requests.push(request);
      return { text: typeof text === "string" ? text : text(request), finish: "complete" };
    },
  };
}
const options = { model: "gpt-4o" } as const;
const oneSpan = { message_threshold: 4, retention_window: 1 };
const tokensOf = (messages: readonly unknown[]) =>
  getCounter("gpt-4o").countMessages(formats["openai-chat"].decode(messages));

describe("compact", () => {
  it("turns the work between two user messages into one assistant message, as short as the document shows it", async () => {
    const summarizer = model(`<summary>${retold}</summary>`);
    const { messages, outcome } = await compact(scenario, oneSpan, { ...options, summarizer });
    expect(messages).toHaveLength(3);
    expect(messages[0]).toBe(scenario[0]);
    expect(messages[1]).toMatchObject({ role: "assistant", content: expect.stringContaining(retold) });
    expect(messages[2]).toBe(scenario.at(-1));
    expect(outcome).toBe("folded");
    expect(summarizer.requests).toHaveLength(1);
  });

  it("without a model too: a short span is retold in less, and no number or id in it vanishes", async () => {
    const { messages, tokens, outcome } = await compact(scenario, oneSpan, options);
    expect(outcome).toBe("folded");
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
    expect(messages[1]!.content).toMatch(/8431/);
    expect(messages[1]!.content).toMatch(/7f3a9c/);
    expect(tokens.after).toBeLessThan(tokens.before * 0.8);
  });

  it.each([400, 200, 120])("a digest of at most %i tokens ends in a whole sentence", async (max_tokens) => {
    const told = [
      "I found the issue: `loadOrders` calls JSON.parse on whatever the file holds. When data/orders.json is empty or half " +
        "written, JSON.parse throws a SyntaxError, nobody catches it, and the whole process ends with exit code 1.",
      "The fix is applied. Here's what I changed: JSON.parse stands in a try/catch block that throws an OrderFileError " +
        "with the path in it, and main catches that error, prints one line and ends with exit code 2.",
    ];
    const explained = long.map((message, index) => {
      const content = index === 3 ? told[0] : index === 6 ? told[1] : undefined;
      return content === undefined ? message : { ...message, content };
    });
    const { messages } = await compact(explained, { ...oneSpan, max_tokens }, options);
    expect(messages).toHaveLength(3);
    // In the smallest room the long sentence does not fit, and the one before it is the end.
    const end =
      max_tokens === 120 ? /assistant: The fix is applied\.$/ : /Here's what I changed: .* with exit code 2\.$/;
    expect(messages[1]!.content).toMatch(end);
  });

  it("a span whose summary would be longer than itself stays, and is not tried again", async () => {
    const small = [
      { role: "user", content: "Ping" },
      { role: "assistant", content: "Pong from port 8431." },
      ...scenario,
    ];
    const summarizer = model((request) => (request.prompt.includes("Pong") ? retold.repeat(3) : retold));
    const first = await compact(small, oneSpan, { ...options, summarizer });
    expect(first.messages[1]).toBe(small[1]);
    expect(first.messages[3]).toMatchObject({ content: expect.stringContaining(retold) });
    const asked = summarizer.requests.length;
    const grown = [...small, ...structuredClone(scenario)];
    const second = await compact(grown, oneSpan, { ...options, summarizer, state: structuredClone(first.state!) });
    expect(second.outcome).toBe("folded");
    expect(second.messages[1]).toBe(small[1]);
    expect(summarizer.requests.slice(asked).some(({ prompt }) => prompt.includes("Pong"))).toBe(false);
  });

  it("one assistant message is a sequence too: a plain chat is compacted, and every answer leaves a trace", async () => {
    const chat = Array.from({ length: 80 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content:
        index % 2 === 0
          ? `Question ${index}: what is the limit of queue q-${index}?`
          : `The limit of queue q-${index - 1} is ${9000 + index} messages. ${"It was chosen after a long talk about load, cost and fairness. ".repeat(6)}`,
    }));
    const result = await compact(chat, { token_threshold: 3_000 }, options);
    expect(result.outcome).toBe("folded");
    expect(result.tokens.after).toBeLessThan(result.tokens.before * 0.7);
    expect(result.messages.map(({ role }) => role)).toEqual(chat.map(({ role }) => role));
    for (let index = 1; index < 74; index += 2) {
      expect(JSON.stringify(result.messages[index])).toContain(String(9000 + index));
    }
    const tight = await compact(chat, {}, { ...options, budget: 3_200 });
    expect(tight.tokens.after).toBeLessThanOrEqual(3_200);
    expect(tight.messages.filter(({ role }) => role === "assistant").length).toBeGreaterThan(30);
  });

  it("says folded only when something became smaller", async () => {
    const short = Array.from({ length: 20 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: index % 2 === 0 ? `Is ${index} even?` : "Yes.",
    }));
    const result = await compact(short, { message_threshold: 4, retention_window: 2 }, options);
    expect(result).toMatchObject({ outcome: "fits", changed: false, state: undefined });
    expect(result.messages).toBe(short);
    expect(result.tokens.after).toBe(result.tokens.before);
  });

  it("incremental: a span is summarized once, later compactions only add", async () => {
    const summarizer = model(
      (request) => `<summary>Work number ${summarizer.requests.length}, ${request.maxTokens}.</summary>`,
    );
    const config = { token_threshold: 3_000, retention_window: 6 };
    let state: FoldRecord | undefined;
    let before: readonly unknown[] = [];
    const calls: number[] = [];
    for (const times of [4, 7, 10, 13]) {
      const messages = repeated(times);
      const result = await compact(messages, config, { ...options, summarizer, ...(state && { state }) });
      expect(result.outcome).toBe("folded");
      const frames = result.messages.filter((message) => JSON.stringify(message).includes("Work number"));
      expect(frames.slice(0, before.length)).toEqual(before);
      before = frames;
      state = structuredClone(result.state!);
      calls.push(summarizer.requests.length);
    }
    expect(calls.at(-1)).toBe(before.length);
  });

  it("a span that grew is carried on: its summary and only what came since are read", async () => {
    const step = (id: number) => [
      call(String(id), `Step ${id}.`),
      result(String(id), `line of file ${id}\n`.repeat(60)),
    ];
    const work = (steps: number) => [
      { role: "user", content: "Fix everything." },
      ...Array.from({ length: steps }, (_, index) => step(index)).flat(),
    ];
    const summarizer = model("<summary>Steps were taken.</summary>");
    const config = { token_threshold: 2_000, retention_window: 4 };
    const first = await compact(work(12), config, { ...options, summarizer });
    const second = await compact(work(24), config, { ...options, summarizer, state: first.state! });
    expect(second.messages).toHaveLength(2 + 4);
    expect(summarizer.requests).toHaveLength(2);
    expect(summarizer.requests[1]?.previous).toContain("Steps were taken.");
    expect(summarizer.requests[1]?.prompt).not.toContain("line of file 3\n");
    expect(summarizer.requests[1]?.prompt).toContain("line of file 15");
  });

  it("keeps every user message word for word and the newest messages whole", async () => {
    const chat = repeated(6);
    const { messages } = await compact(chat, { token_threshold: 1500, retention_window: 6 }, options);
    const users = chat.filter((message) => message.role === "user");
    expect(messages.filter((message) => message.role === "user")).toEqual(users);
    expect(messages.slice(-6)).toEqual(chat.slice(-6));
    expect(messages.length).toBeLessThanOrEqual(chat.length);
    expect(tokensOf(messages)).toBeLessThan(tokensOf(chat) / 2);
  });

  it("compresses the earliest span first", async () => {
    const chat = repeated(3);
    const threshold = tokensOf(chat) - 200;
    const { messages } = await compact(chat, { token_threshold: threshold }, { ...options, target: 1 });
    expect(messages).toContain(chat[9]);
    expect(messages).not.toContain(chat[1]);
  });

  it("flow coherence: a running tool loop stays whole", async () => {
    const running = [...repeated(2), call("9", "Now the tests."), result("9", "ok"), call("10", "And the docs.")];
    const { messages } = await compact(running, { token_threshold: 500, retention_window: 2 }, options);
    expect(messages).toContain(running.at(-1));
    const parts = formats["openai-chat"].decode(messages).flatMap((message) => message.parts);
    const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part.id] : []));
    const answers = parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : []));
    expect(calls).toContain("9");
    expect(calls.filter((id) => id !== "10")).toEqual(answers);
  });

  it.each([
    ["tokens", { token_threshold: 500 }, { token_threshold: 50_000 }],
    ["messages", { message_threshold: 7 }, { message_threshold: 8 }],
    ["turns", { turn_threshold: 1 }, { turn_threshold: 2 }],
  ])("triggers by %s, and not before", async (_, over, under) => {
    const summarizer = model(retold);
    const run = (trigger: object) => compact(long, { ...trigger, retention_window: 2 }, { ...options, summarizer });
    expect((await run(over)).outcome).toBe("folded");
    expect((await run(under)).outcome).toBe("fits");
  });

  it("does nothing at the default threshold of 60 000 tokens, and acts above it, whatever else is set", async () => {
    const at = (tokens: number) => {
      const chat = [{ role: "user", content: "Go." }, { role: "assistant", content: "" }, ...scenario.slice(-1)];
      chat[1]!.content = " word".repeat(tokens - tokensOf(chat));
      return chat;
    };
    const run = (tokens: number, config: object) =>
      compact(at(tokens), { retention_window: 1, ...config }, { ...options, summarizer: model(retold) });
    expect((await run(60_000, {})).outcome).toBe("fits");
    expect((await run(60_001, {})).outcome).toBe("folded");
    expect((await run(60_001, { message_threshold: 500 })).outcome).toBe("folded");
    expect((await run(60_001, { token_threshold: null })).outcome).toBe("fits");
    expect((await run(60_001, { token_threshold: null, turn_threshold: 1 })).outcome).toBe("folded");
  });

  it("asks by the default prompt for the tag it then looks for", async () => {
    const summarizer = model((request) => {
      const tag = /between <(\S+)> and/.exec(request.prompt)?.[1];
      return `noise <${tag}>${retold}</${tag}> noise`;
    });
    const { messages } = await compact(scenario, { ...oneSpan, summary_tag: "done" }, { ...options, summarizer });
    expect(summarizer.requests[0]?.prompt).toContain("</done>");
    expect(messages[1]).toMatchObject({ content: expect.stringContaining(retold) });
    expect(JSON.stringify(messages)).not.toContain("noise");
  });

  it("uses a custom Handlebars prompt and takes the summary from its tag", async () => {
    const summarizer = model("noise <done>Only this.</done> noise");
    const config = { ...oneSpan, prompt: "Retell: {{conversation_history}}", summary_tag: "done" };
    const { messages } = await compact(scenario, config, { ...options, summarizer });
    expect(summarizer.requests[0]?.prompt).toContain("Retell: ");
    expect(summarizer.requests[0]?.prompt).toContain("between <done> and </done>");
    expect(JSON.stringify(messages[1])).toContain("Only this.");
    expect(JSON.stringify(messages)).not.toContain("noise");
  });

  it("the example's prompt, a partial by name, is found", async () => {
    const summarizer = model(retold);
    const prompt = "{{> system-prompt-context-summarizer.hbs }}";
    await compact(scenario, { ...oneSpan, prompt }, { ...options, summarizer });
    expect(summarizer.requests[0]?.prompt).toContain("Put the summary, and nothing else, between <summary>");
    expect(summarizer.requests[0]?.prompt).toContain("7f3a9c");
  });

  it("the summarizer is told which model shall write, by default the agent's own", async () => {
    const summarizer = model(retold);
    await compact(scenario, { ...oneSpan, model: "google/gemini-2.0-flash-001" }, { ...options, summarizer });
    await compact(scenario, oneSpan, { ...options, summarizer });
    expect(summarizer.requests.map((request) => request.model)).toEqual(["google/gemini-2.0-flash-001", "gpt-4o"]);
  });

  it("no summary is longer than max_tokens", async () => {
    const frameSizes = async (max_tokens: number) => {
      const summarizer = model(retold.repeat(200));
      const config = { token_threshold: 500, retention_window: 1, max_tokens };
      const { messages } = await compact(repeated(3), config, { ...options, summarizer });
      const frames = messages.filter((message) => JSON.stringify(message).includes("I debugged"));
      expect(frames.length).toBeGreaterThan(1);
      expect(summarizer.requests.every(({ maxTokens }) => maxTokens <= max_tokens)).toBe(true);
      return frames.map((frame) => tokensOf([frame]));
    };
    for (const size of await frameSizes(120)) expect(size).toBeLessThanOrEqual(120 + 8);
    // Less than the room a short span is given for one sentence.
    for (const size of await frameSizes(40)) expect(size).toBeLessThanOrEqual(40 + 8);
    expect(Math.max(...(await frameSizes(2_000)))).toBeGreaterThan(120 + 8);
  });

  it("has the defaults of the table", () => {
    expect(parseCompactConfig({})).toEqual({
      max_tokens: 2000,
      token_threshold: 60_000,
      retention_window: 6,
      summary_tag: "summary",
    });
    expect(parseCompactConfig({ turn_threshold: 3 })).toMatchObject({ token_threshold: 60_000, turn_threshold: 3 });
    expect(parseCompactConfig({ token_threshold: null, message_threshold: null })).toMatchObject({
      token_threshold: null,
      message_threshold: null,
    });
    expect(compactPreset(parseCompactConfig({ token_threshold: null })).trigger).toBeUndefined();
  });

  it("a retention window of 0 keeps nothing but the last message, and is allowed; a threshold of 0 is not", async () => {
    expect(parseCompactConfig({ retention_window: 0 }).retention_window).toBe(0);
    expect(() => parseCompactConfig({ turn_threshold: 0 })).toThrow(
      /turn_threshold must be a whole number of at least 1/,
    );
    const summarizer = model(retold);
    const { messages } = await compact(
      scenario,
      { message_threshold: 4, retention_window: 0 },
      { ...options, summarizer },
    );
    expect(messages).toHaveLength(3);
  });

  it.each([
    ["nothing", undefined, /must be a block of settings\. See docs\/configuration\.md/],
    ["null", null, /must be a block/],
    ["a text", "on", /must be a block/],
    ["a number where a text belongs", { model: 7 }, /compact\.model must be a text/],
    ["a list", [], /must be a block/],
    [
      "an unknown setting",
      { retention: 3 },
      /compact\.retention is not a setting; known: max_tokens, token_threshold, .*, model, prompt, summary_tag\./,
    ],
    ["a negative number", { max_tokens: -1 }, /compact\.max_tokens must be a whole number/],
    ["null where it means nothing", { max_tokens: null }, /compact\.max_tokens must be a whole number of at least 1/],
    ["an empty prompt", { prompt: "" }, /compact\.prompt must be a text/],
    ["a tag that is none", { summary_tag: "a b" }, /compact\.summary_tag must be a tag name/],
  ])("refuses %s by name", (_, block, message) => {
    expect(() => parseCompactConfig(block)).toThrow(message);
  });
});
