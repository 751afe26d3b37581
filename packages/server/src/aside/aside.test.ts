import { fold, getCounter, presets } from "@midfold/core";
import { protocols } from "@midfold/wire";
import { afterEach, describe, expect, it } from "vitest";
import { type Aside, type AsideOptions, createAside } from "./aside.ts";
import type { FoldTask, tasks } from "./tasks.ts";

let aside: Aside<typeof tasks> | undefined;
afterEach(async () => {
  await aside?.close();
  aside = undefined;
});
const start = (options: AsideOptions = {}) => {
  aside = createAside(new URL("./gateway-worker.ts", import.meta.url), { threads: 1, ...options });
  return aside;
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
    const left = run("fold", taskFor(talk(4_000)), { signal: controller.signal, calls: { find: () => undefined } });
    setTimeout(() => controller.abort(new Error("left")), 50);
    await expect(left).rejects.toThrow("left");
    const next = await run("count", taskFor(talk(2)), { signal: never });
    expect(next).toBeGreaterThan(100);
  });

  it("has a limit in time, in memory and in number", async () => {
    const slow = start({ maxMs: 30 }).run("fold", taskFor(talk(4_000)), {
      signal: never,
      calls: { find: () => undefined },
    });
    await expect(slow).rejects.toMatchObject({ code: "OVERLOADED" });
    await aside?.close();
    const many = start({ maxWaiting: 1 });
    const runs = Array.from({ length: 5 }, () => many.run("count", taskFor(talk(2)), { signal: never }));
    const outcomes = await Promise.allSettled(runs);
    expect(outcomes.filter(({ status }) => status === "fulfilled").length).toBeLessThan(5);
    await aside?.close();
    const tight = start({ maxMegabytes: 24 }).run("count", taskFor(talk(20_000)), { signal: never });
    await expect(tight).rejects.toMatchObject({ code: "BODY_TOO_LARGE" });
  });
});
