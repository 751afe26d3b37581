import { errorCatalogue } from "@midfold/core";
import type { Script } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { find, type Harness, type HarnessOptions, openHarness } from "../chat-harness.test-data.ts";
import { lastSent, seedHistory } from "../seed-history.test-data.ts";

type Reply = Awaited<ReturnType<Script>>;

let chat: Harness;
const open = async (options: HarnessOptions = {}) => {
  chat = await openHarness({ ...options, config: { modelTitles: false, ...options.config } });
  return chat;
};
afterEach(() => chat.close());

const events = (...pieces: string[]): Reply => ({
  raw: { headers: { "content-type": "text/event-stream" }, pieces: pieces.map((piece) => `data: ${piece}\n\n`) },
});
const chunk = (delta: object, finish: string | null = null) =>
  JSON.stringify({
    ...{ id: "c", object: "chat.completion.chunk", created: 1, model: "gpt-4o" },
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

describe("a provider that fails", () => {
  const failures: readonly [string, Reply, keyof typeof errorCatalogue, string?][] = [
    ["refuses the key", { fault: { kind: "status", status: 401, message: "Bad key" } }, "UPSTREAM_CREDENTIALS"],
    [
      "has no rate left",
      { fault: { kind: "status", status: 429, message: "Slow down", retryAfter: "900" } },
      "UPSTREAM_RATE_LIMITED",
    ],
    ["fails", { fault: { kind: "status", status: 500, message: "Oops" } }, "UPSTREAM_OVERLOADED"],
    ["is behind a proxy that fails", { fault: { kind: "html", status: 502 } }, "UPSTREAM_OVERLOADED"],
    ["is a page to log in", { fault: { kind: "html", status: 200 } }, "UPSTREAM_BROKEN"],
    ["closes the connection", { fault: { kind: "reset" } }, "UPSTREAM_UNREACHABLE"],
    ["sends nothing", { fault: { kind: "no-events" } }, "UPSTREAM_BROKEN"],
    ["sends what is no JSON", events("{half"), "UPSTREAM_BROKEN"],
    [
      "breaks off within an event",
      { text: "Half", fault: { kind: "cut", afterFrames: 2, half: true } },
      "UPSTREAM_BROKEN",
      "Half",
    ],
    ["ends midway", { text: "Half of it", fault: { kind: "cut", afterFrames: 2 } }, "UPSTREAM_BROKEN", "Half"],
    ["sends broken words midway", events(chunk({ content: "Half" }), "{half"), "UPSTREAM_BROKEN", "Half"],
    ["says that it is done, and nothing else", events(chunk({}, "stop"), "[DONE]"), "UPSTREAM_BROKEN"],
  ];

  it.each(failures)("%s: the words stay, the reply says why and what to do, and a retry works", async (...failure) => {
    const [name, reply, code, arrived = ""] = failure;
    await open();
    const { id: sessionId } = await chat.start();
    const words = `The code is swordfish. ${name}`;
    chat.upstream.setScript(() => reply);
    const told = find(await chat.say(sessionId, words), "turn.error");
    expect(told?.problem.code).toBe(code);
    expect(told?.problem.detail).toContain(errorCatalogue[code].remedy);

    const stored = await chat.call("listMessages", { params: { sessionId } });
    const [question, answer] = stored.messages;
    expect(question).toMatchObject({ role: "user", status: "complete", text: words });
    expect(answer?.text.startsWith(arrived)).toBe(true);
    expect(answer).toMatchObject({
      status: arrived === "" ? "failed" : "interrupted",
      error: told?.problem.detail,
    });

    chat.upstream.setScript(() => ({ text: "Here I am." }));
    await chat.raw("retryMessage", { params: { sessionId, messageId: question!.id }, body: {} }).then((r) => r.text());
    expect(lastSent(chat)).toEqual([{ role: "user", text: words }]);
    const after = await chat.call("listMessages", { params: { sessionId } });
    expect(after.messages.map(({ text }) => text)).toEqual([words, "Here I am."]);
  });

  it.each([
    ["length", /limit of the answer/],
    ["content_filter", /withheld/],
  ])("an answer without words that ended by %s says so", async (finish, why) => {
    await open();
    const { id: sessionId } = await chat.start();
    chat.upstream.setScript(() => events(chunk({}, finish), "[DONE]"));
    expect(find(await chat.say(sessionId, "Hello?"), "turn.error")?.problem.detail).toMatch(why);
  });

  it("that calls every request too long is never asked for a longer answer than before, nor with the same bytes", async () => {
    await open({ window: 2000 });
    const session = await seedHistory(chat, [300, 300, 300, 300]);
    chat.upstream.setScript(() => ({ fault: { kind: "status", status: 400, message: "prompt is too long" } }));
    const ended = find(await chat.say(session.id, "Go on"), "turn.error");
    expect(ended?.problem.code).toBe("UPSTREAM_OVERFLOW");
    const sent = chat.upstream.requests.map(({ raw }) => raw.toString()).filter((raw) => raw.includes("Go on"));
    const limits = sent.map((raw) => (JSON.parse(raw) as { max_tokens: number }).max_tokens);
    expect(limits.length).toBeGreaterThan(1);
    expect(limits).toEqual(limits.toSorted((a, b) => b - a));
    expect(new Set(sent).size).toBe(sent.length);
  });
});
