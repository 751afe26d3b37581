import { describe, expect, it, vi } from "vitest";
import { find, useHarness } from "../chat-harness.test-data.ts";
import { lastSent, wordsOf } from "../seed-history.test-data.ts";

const secret = "The booking code of the rental car is KX-7781.";
const notice = "[Excerpts of earlier messages";

describe("recall in a chat", () => {
  const chat = useHarness({ window: 8192 });

  /** A conversation whose summary says nothing about the car; the fact is in the first message. */
  async function foldAway(): Promise<string> {
    const said = [secret, "Noted.", wordsOf(2000, "Long note:"), "I see."];
    const { session } = await chat.call("importSession", {
      body: {
        content: JSON.stringify(said.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content }))),
        format: "openai-chat",
        title: "Car",
      },
    });
    await fold(session.id);
    return session.id;
  }

  async function fold(sessionId: string): Promise<void> {
    const { id } = await chat.call("startFold", { params: { sessionId }, body: {} });
    await vi.waitFor(
      async () => {
        const { status } = await chat.call("getFold", { params: { sessionId, foldId: id } });
        expect(status).toBe("done");
      },
      { timeout: 20_000, interval: 20 },
    );
  }

  const view = (sessionId: string, turn?: string) =>
    chat.call("viewModel", { params: { sessionId }, ...(turn === undefined ? {} : { query: { turn } }) });

  it("finds a fact that the summary lost, and sends it with the question", async () => {
    const id = await foldAway();
    await chat.say(id, "Which booking code does the rental car have?");
    const last = lastSent(chat).at(-1);
    expect(last?.role).toBe("user");
    expect(last?.text).toContain(`user: ${secret}`);
    expect(last?.text).toMatch(/\n\nWhich booking code does the rental car have\?$/);
    expect(last?.text.startsWith(notice)).toBe(true);
  });

  it("sends the same bytes again with later turns, and says so wherever the request is shown", async () => {
    const id = await foldAway();
    const events = await chat.say(id, "Which booking code does the rental car have?");
    const first = lastSent(chat);
    const reply = find(events, "reply.end")?.message;
    expect(reply?.recalled).toContain(secret);
    expect(reply?.text).not.toContain(secret);

    await chat.say(id, "Thanks, that was it.");
    expect(lastSent(chat).slice(0, first.length)).toEqual(first);

    const past = await view(id, reply?.id);
    const [excerpts, asked] = past.messages.slice(-2);
    expect(excerpts).toMatchObject({ kind: "recalled", role: "user", text: reply?.recalled });
    expect(asked).toMatchObject({ kind: "draft", text: "Which booking code does the rental car have?" });
    expect(bodyOf(past)).toEqual(first.map(({ text }) => text));
    expect(past.messages.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(past.tokens);
    const next = await view(id);
    expect(bodyOf(next).slice(0, first.length)).toEqual(first.map(({ text }) => text));
    const usage = await chat.call("getUsage", { params: { sessionId: id } });
    expect(usage.categories.find(({ category }) => category === "recalled")).toMatchObject({
      tokens: excerpts?.tokens,
      messages: 1,
    });
    expect(usage.categories.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(8192);
  });

  it("what the next request would be with a draft has them too", async () => {
    const id = await foldAway();
    const drafted = await chat.call("viewModelWithDraft", {
      params: { sessionId: id },
      body: { draft: "What is the rental car's booking code?" },
    });
    expect(drafted.messages.map(({ kind }) => kind).slice(-2)).toEqual(["recalled", "draft"]);
    await chat.say(id, "What is the rental car's booking code?");
    expect(bodyOf(drafted)).toEqual(lastSent(chat).map(({ text }) => text));
  });

  it("stays small, and is left out where nothing was folded or nothing bears on the words", async () => {
    const id = await foldAway();
    const events = await chat.say(id, "Does the rental car have a booking code and what about the garden?");
    const { recalled } = find(events, "reply.end")!.message;
    expect(recalled).toContain("KX-7781");
    const usage = await chat.call("getUsage", { params: { sessionId: id } });
    expect(usage.categories.find(({ category }) => category === "recalled")?.tokens).toBeLessThanOrEqual(210);
    await chat.say(id, "Zebra?");
    expect(lastSent(chat).at(-1)?.text).toBe("Zebra?");
    const fresh = await chat.start();
    await chat.say(fresh.id, secret);
    await chat.say(fresh.id, "Which booking code does the rental car have?");
    expect(lastSent(chat).at(-1)?.text).toBe("Which booking code does the rental car have?");
  });

  it("finds it behind many other messages, whose number does not make it slower", async () => {
    const others = Array.from({ length: 600 }, (_, i) => `Talk about the weather, part ${i}.`);
    const said = ["Where is it?", secret, "E poi?", "Il magazzino sta a Bari.", ...others];
    const { session } = await chat.call("importSession", {
      body: {
        content: JSON.stringify(said.map((content, i) => ({ role: i % 2 === 0 ? "user" : "assistant", content }))),
        format: "openai-chat",
        title: "Long",
      },
    });
    await fold(session.id);
    await chat.say(session.id, "Which booking code does the rental car have?");
    expect(lastSent(chat).at(-1)?.text).toContain(secret);
    await chat.say(session.id, "Dove sono i magazzini?");
    expect(lastSent(chat).at(-1)?.text).toContain("Il magazzino sta a Bari.");
  });

  it("goes when its question is folded, and folded messages are the originals without it", async () => {
    const id = await foldAway();
    await chat.say(id, "Which booking code does the rental car have?");
    await fold(id);
    const after = await view(id);
    expect(after.messages.map(({ kind }) => kind)).not.toContain("recalled");
    const prompt = chat.upstream.requests.findLast(({ raw }) => raw.toString().includes("<transcript id="));
    expect(prompt?.raw.toString()).not.toContain(notice);
  });
});

function bodyOf({ body }: { readonly body?: unknown }): readonly string[] {
  return (body as { messages: { content: string }[] }).messages.map(({ content }) => content);
}
