import { fold, getCounter, presets } from "@midfold/core";
import { protocols } from "@midfold/wire";
import { afterEach, describe, expect, it, vi } from "vitest";
import { readJsonBody } from "../json/read-json-body.ts";
import { createValueMemo } from "../json/value-memo.ts";
import { type FoldTask, parseElsewhere, type tasks } from "./tasks.ts";
import { createThreadPool, type ThreadPool, type ThreadPoolOptions } from "./thread-pool.ts";

let threads: ThreadPool<typeof tasks> | undefined;
afterEach(async () => {
  await threads?.close();
  threads = undefined;
});
const start = (options: ThreadPoolOptions = {}) => {
  threads = createThreadPool(new URL("./gateway-worker.ts", import.meta.url), { threads: 1, ...options });
  return threads;
};

const talk = (messages: number) => ({
  model: "gpt-4o",
  messages: Array.from({ length: messages }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Message ${i}: keep src/file-${i}.ts at ${i * 7} ms, and never delete table_${i}. `.repeat(20),
  })),
});
const taskFor = (value: object): FoldTask => ({
  bytes: Buffer.from(JSON.stringify(value)),
  protocol: "openai-chat",
  counting: { countAs: "gpt-4o" },
  options: { model: "gpt-4o", window: 8_192, budget: 6_000, preset: presets.proxy },
});
const never = new AbortController().signal;

describe("work beside the event loop", () => {
  it("parses long values of a request there, and only there", async () => {
    const long = "line of a log\\n".repeat(250_000);
    const text = `{"model":"gpt-4o","messages":[{"role":"user","content":"${long}"},{"role":"user","content":"end"}]}`;
    const memo = createValueMemo(64 * 1024 * 1024);
    const options = { maxDepth: 64, elementsOf: "messages", memo, elsewhere: parseElsewhere(start(), never) };
    const expected: unknown = JSON.parse(text);
    const here = vi.spyOn(JSON, "parse");
    try {
      const { value } = await readJsonBody(Buffer.from(text), options);
      const longest = Math.max(...here.mock.calls.map(([parsed]) => parsed.length));
      expect(longest).toBeLessThan(1_000);
      expect(value).toEqual(expected);
      const again = await readJsonBody(Buffer.from(text), options);
      expect((again.value.messages as unknown[])[0]).toBe((value.messages as unknown[])[0]);
    } finally {
      here.mockRestore();
    }
  });

  it("says where a long text stops being JSON", async () => {
    const options = {
      maxDepth: 64,
      elementsOf: "messages",
      memo: createValueMemo(0),
      elsewhere: parseElsewhere(start(), never),
    };
    const position = 3_000_000 + '{"messages":[{"a":"'.length;
    const broken = `{"messages":[{"a":"${"x".repeat(3_000_000)}\u0001"}]}`;
    const unclosed = `{"messages":[{"a":"${"x".repeat(3_000_000)}"`;
    await expect(readJsonBody(Buffer.from(broken), options)).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      details: { position },
    });
    await expect(readJsonBody(Buffer.from(unclosed), options)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
    await expect(readJsonBody(Buffer.from(`["${"x".repeat(3_000_000)}"]`), options)).rejects.toThrow("not an array");
  });

  it("comes to the same fold as on this thread", async () => {
    const value = talk(200);
    const { body, format } = protocols["openai-chat"];
    const messages = body.messagesOf(value);
    const here = await fold(messages, {
      ...taskFor(value).options,
      format: format.name,
      system: body.systemOf(value),
      tools: body.toolsOf(value),
      counter: getCounter("gpt-4o"),
      cache: { find: () => undefined, save: () => undefined },
    });
    const there = await start().run("fold", taskFor(value), { signal: never, calls: { find: () => undefined } });
    const placed = there.messages.map((entry) => (typeof entry === "number" ? messages[entry] : entry.made));
    expect(placed).toEqual(here.messages);
    expect(there.state).toEqual(here.state);
    expect(there.tokens).toEqual(here.tokens);
  });

  it("passes errors on with their code", async () => {
    const task = taskFor({ model: "x", messages: [{ role: "user", content: "long ".repeat(20_000) }] });
    const run = start().run("fold", task, { signal: never, calls: { find: () => undefined } });
    await expect(run).rejects.toMatchObject({ code: "CONTEXT_OVERFLOW" });
  });

  it("ends with the client that asked for it, and goes on for the next", async () => {
    const { run } = start();
    const controller = new AbortController();
    // The thread asks in the middle of its work, and gets no answer.
    const find = () => {
      controller.abort(new Error("left"));
      return new Promise<undefined>(() => undefined);
    };
    const left = run("fold", taskFor(talk(200)), { signal: controller.signal, calls: { find } });
    await expect(left).rejects.toThrow("left");
    const next = await run("count", taskFor(talk(2)), { signal: never });
    expect(next).toBeGreaterThan(100);
  });

  it("has a limit in time, in memory and in number", async () => {
    const slow = start({ maxMs: 30 }).run("fold", taskFor(talk(200)), {
      signal: never,
      calls: { find: () => new Promise<undefined>(() => undefined) },
    });
    await expect(slow).rejects.toMatchObject({ code: "OVERLOADED" });
    await threads?.close();
    const many = start({ maxWaiting: 1 });
    const runs = Array.from({ length: 5 }, () => many.run("count", taskFor(talk(2)), { signal: never }));
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThan(5);
    await threads?.close();
    const tight = start({ maxMegabytes: 24 }).run("count", taskFor(talk(20_000)), { signal: never });
    await expect(tight).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  });
});
