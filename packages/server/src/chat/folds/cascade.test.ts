import { afterEach, expect, it, vi } from "vitest";
import { type Harness, openHarness } from "../chat-harness.test-data.ts";

let chat: Harness;
afterEach(() => chat.close());

it("what a person said is still in the summary after further ones in short succession", async () => {
  chat = await openHarness({ window: 128_000, config: { modelTitles: false } });
  const { id: sessionId } = await chat.call("createSession", { body: { model: "midfold-demo-32k" } });
  const params = { sessionId };
  const summarize = async () => {
    const { id: foldId } = await chat.call("startFold", { params, body: {} });
    const status = async () => (await chat.call("getFold", { params: { ...params, foldId } })).status;
    await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000, interval: 20 });
    const { summaries, activeId } = await chat.call("listSummaries", { params });
    return summaries.find(({ id }) => id === activeId)!.text;
  };
  await chat.say(
    sessionId,
    "My cat is called Miso. She is 4 years old and eats 120 grams a day of the brand Felix-77.",
  );
  await chat.say(sessionId, "The vet is Dr. Okafor, Hill Street 12, and the next visit is on 3 December at 9:30.");
  await summarize();
  // Whatever the first one says: in these words a person put it right.
  const { activeId } = await chat.call("listSummaries", { params });
  const text = "## Key Points\n- The user: My cat is called Miso.\n- The user: She eats 120 grams a day of Felix-77.";
  await chat.call("editSummary", { params: { ...params, summaryId: activeId! }, body: { text } });
  for (const more of ["Thanks a lot.", "That is all for now.", "Good night."]) {
    await chat.say(sessionId, more);
    const now = await summarize();
    expect(now).toContain("My cat is called Miso.");
    expect(now).toContain("120 grams a day of Felix-77");
  }
});
