import type { Script } from "@midfold/testkit";
import { afterEach, expect, it } from "vitest";
import type { SettingValues } from "../../api/settings.ts";
import { type Harness, openHarness } from "../chat-harness.test-data.ts";

let chat: Harness;
afterEach(() => chat.close());

const isTitlePrompt = (text: string) => text.includes("Write its title");

/** A chat whose model answers "Prune in spring." and writes titles as told. */
async function openChat(title: Script, config: SettingValues = {}) {
  chat = await openHarness({ config });
  chat.upstream.setScript((turn) =>
    turn.messages.some(({ text }) => isTitlePrompt(text)) ? title(turn) : { text: "Prune in spring." },
  );
  const { id } = await chat.call("createSession", { body: {} });
  const params = { sessionId: id };
  return {
    params,
    ask: () => chat.say(id, "How do I prune roses?"),
    session: () => chat.call("getSession", { params }),
    titlePrompts: () =>
      chat.upstream.requests.map(({ body }) => JSON.stringify(body ?? null)).filter((body) => isTitlePrompt(body)),
  };
}

it("after the first reply a model names the session, from question and answer, and later turns leave it", async () => {
  const { ask, session, titlePrompts } = await openChat(() => ({ text: '**"Pruning roses in spring."**\n' }));
  await ask();
  await expect.poll(async () => (await session()).title).toBe("Pruning roses in spring");
  expect(titlePrompts()[0]).toContain("How do I prune roses?");
  expect(titlePrompts()[0]).toContain("Prune in spring.");
  await ask();
  await chat.idle();
  expect(titlePrompts()).toHaveLength(1);
});

it.each([
  ["fails", { fault: { kind: "status", status: 400 } }],
  ["writes nothing", { text: "***" }],
  ["is cut off", { text: "Pruning ros", finish: "length" }],
] as const)("a model that %s leaves the first words", async (_, answer) => {
  const { ask, session, titlePrompts } = await openChat(() => answer);
  await ask();
  await chat.idle();
  expect((await session()).title).toBe("How do I prune roses?");
  expect(titlePrompts()).toHaveLength(1);
});

it("a name given while the model writes stays, even one that is the first words", async () => {
  const asked = Promise.withResolvers<void>();
  const named = Promise.withResolvers<void>();
  const { ask, session, params } = await openChat(async () => {
    asked.resolve();
    await named.promise;
    return { text: "Something else" };
  });
  await ask();
  await asked.promise;
  await chat.call("updateSession", { params, body: { title: "How do I prune roses?" } });
  named.resolve();
  await chat.idle();
  expect((await session()).title).toBe("How do I prune roses?");
});

it("asks nobody when it is switched off, and the demo model never", async () => {
  const { ask, session, titlePrompts } = await openChat(() => ({ text: "No" }), { modelTitles: false });
  await ask();
  await chat.idle();
  expect((await session()).title).toBe("How do I prune roses?");
  await chat.call("updateSettings", { body: { set: { modelTitles: true } } });
  const demo = await chat.call("createSession", { body: { model: "midfold-demo" } });
  await chat.say(demo.id, "Hello there");
  await chat.idle();
  expect((await chat.call("getSession", { params: { sessionId: demo.id } })).title).toBe("Hello there");
  expect(titlePrompts()).toEqual([]);
});
