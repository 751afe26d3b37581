import { expect, it } from "vitest";
import { useHarness } from "../chat-harness.test-data.ts";
import { lastSent, seedHistory } from "../seed-history.test-data.ts";

const chat = useHarness({ window: 8192 });

it("a summary belongs to its session: no other is sent it", async () => {
  const folded = await seedHistory(chat, [2000, 1500, 300]);
  await chat.say(folded.id, "Fold");
  expect(JSON.stringify(lastSent(chat))).toContain("the garden and the fence");
  const other = await chat.start();
  await chat.say(other.id, "What do you know?");
  expect(JSON.stringify(lastSent(chat))).not.toContain("the fence");
  expect(await chat.call("listSummaries", { params: { sessionId: other.id } })).toMatchObject({ summaries: [] });
});
