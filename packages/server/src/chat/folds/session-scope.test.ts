import { afterAll, beforeAll, expect, it } from "vitest";
import { type Harness, openHarness } from "../chat-harness.test-data.ts";
import { lastSent, seedHistory } from "../seed-history.test-data.ts";

let chat: Harness;
beforeAll(async () => {
  chat = await openHarness({ window: 8192 });
});
afterAll(() => chat.close());

it("a summary belongs to its session: no other is sent it", async () => {
  const folded = await seedHistory(chat, [2000, 1500, 300]);
  await chat.say(folded.id, "Fold");
  expect(JSON.stringify(lastSent(chat))).toContain("the garden and the fence");
  const other = await chat.start();
  await chat.say(other.id, "What do you know?");
  expect(JSON.stringify(lastSent(chat))).not.toContain("the fence");
  expect(await chat.call("listSummaries", { params: { sessionId: other.id } })).toMatchObject({ summaries: [] });
});
