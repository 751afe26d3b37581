import type { Script } from "@midfold/testkit";
import { afterEach, expect, it } from "vitest";
import { type Harness, openHarness } from "../chat-harness.test-data.ts";
import { seedHistory } from "../seed-history.test-data.ts";

let chat: Harness;
afterEach(() => chat.close());

/** The size that the dialog promises and the actual one, for a conversation of this many tokens. */
async function summarize(tokens: number) {
  const { id } = await seedHistory(chat, [tokens / 2, tokens / 2]);
  const params = { sessionId: id };
  const { tokens: promised } = await chat.call("previewFold", { params, body: {} });
  const { id: foldId } = await chat.call("startFold", { params, body: {} });
  const now = () => chat.call("getFold", { params: { ...params, foldId } });
  await expect.poll(async () => (await now()).status, { timeout: 20_000 }).toBe("done");
  const { result } = await now();
  return { promised: promised.after, real: result?.tokensAfter ?? Number.NaN };
}

const isRight = ({ promised, real }: { readonly promised: number; readonly real: number }) =>
  Math.abs(promised - real) <= 0.15 * real;

const words = (count: number) => `## Context\n${"They spoke of the garden fence. ".repeat(Math.ceil(count / 7))}`;
const always: Script = () => ({ text: words(700) });
/** As long as an eighth of what it is given. */
const inProportion: Script = ({ messages }) => ({
  text: words(
    messages
      .map(({ text }) => text)
      .join(" ")
      .split(" garden").length / 8,
  ),
});

it.each([
  ["always writes the same length", always],
  ["writes in proportion", inProportion],
])("after a few summaries the promise is right, to 15 in 100, for a model that %s", async (_, script) => {
  chat = await openHarness({ window: 128_000 });
  chat.setSummary(script);
  for (const tokens of [6000, 9000]) await summarize(tokens);
  const again = [];
  for (const tokens of [6000, 7000, 8000, 9000, 10_000]) again.push(await summarize(tokens));
  expect(again.filter((one) => !isRight(one))).toEqual([]);
});

it("what one owner's model wrote says nothing about another's", async () => {
  chat = await openHarness({ window: 128_000 });
  const { id } = await seedHistory(chat, [3000, 3000]);
  const before = await chat.call("previewFold", { params: { sessionId: id }, body: {} });
  chat.setSummary(always);
  await summarize(6000);
  const after = await chat.call("previewFold", { params: { sessionId: id }, body: {} });
  expect(after.tokens.summaryEstimate).not.toBe(before.tokens.summaryEstimate);
  expect(await chat.store.of("somebody-else").settings.get({ kind: "global" })).toEqual({});
});
