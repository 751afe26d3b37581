import { describe, expect, it } from "vitest";
import { countTokens } from "../tokens/count-tokens.ts";
import { foldSync } from "./fold-sync.ts";

const messages = [
  { role: "system", content: "You are a concierge." },
  ...Array.from({ length: 120 }, (_, turn) => [
    {
      role: "user",
      content:
        turn === 20 ? "My badge number is ZX-4471 and the garage code is 9912." : `Tell me about painting ${turn}.`,
    },
    {
      role: "assistant",
      content: `Painting ${turn} hangs in hall ${turn % 7}. ${"It was restored some years ago. ".repeat(6)}`,
    },
  ]).flat(),
  { role: "user", content: "What was the garage code again?" },
];
const options = { model: "gpt-4o", window: 5_000, maxOutputTokens: 500, target: 0.3 } as const;
const unasked = { ...options, recall: 0 } as const;

describe("recall", () => {
  it("puts back what folded messages say about the question, just before it", () => {
    const { messages: out, tokens } = foldSync(messages, { ...options, recall: 300 });
    expect(out.at(-1)).toBe(messages.at(-1));
    expect(out.at(-2)).toEqual({ role: "assistant", content: "OK" });
    expect(out.at(-3)).toMatchObject({ role: "user", content: expect.stringContaining("garage code is 9912") });
    expect(tokens.after).toBeLessThanOrEqual(tokens.budget);
  });

  it("is the same for the same fold and question, and leaves the prefix alone", () => {
    const first = foldSync(messages, { ...options, recall: 300 });
    const again = foldSync(structuredClone(messages), { ...options, recall: 300, state: first.state! });
    expect(again.outcome).toBe("reused");
    expect(JSON.stringify(again.messages)).toBe(JSON.stringify(first.messages));
    const grown = [
      ...messages,
      { role: "assistant", content: "9912." },
      { role: "user", content: "And my badge number?" },
    ];
    const next = foldSync(grown, { ...options, recall: 300, state: again.state! });
    expect(next.messages.slice(0, first.messages.length)).toEqual(first.messages);
    expect(JSON.stringify(next.messages.at(-3))).toContain("ZX-4471");
    // The record has grown by the excerpts; it still says which fold it is.
    expect(next.state).toMatchObject({ origin: first.state!.id });
    expect(next.state!.id).not.toBe(first.state!.id);
  });

  it("adds nothing without room, without folded words that bear on it, or unasked", () => {
    expect(foldSync(messages, { ...options, recall: 20 }).messages).toEqual(foldSync(messages, unasked).messages);
    const other = [...messages.slice(0, -1), { role: "user", content: "Zebrafish?" }];
    expect(JSON.stringify(foldSync(other, { ...options, recall: 300 }).messages)).not.toContain("[Excerpts of earlier");
    expect(JSON.stringify(foldSync(messages, unasked).messages)).not.toContain("[Excerpts of earlier");
  });

  it("has room set aside for a question whose words were said in another form only", () => {
    const said = messages.map(({ role, content }) => ({
      role,
      content: content.startsWith("My badge") ? "Das Haus am See gehört Ada." : content,
    }));
    const asked = [...said.slice(0, -1), { role: "user", content: "Wem gehören die Häuser?" }];
    const { messages: out } = foldSync(asked, { ...options, preset: "chat" });
    expect(out.at(-3)).toMatchObject({ role: "user", content: expect.stringContaining("Das Haus am See gehört Ada.") });
  });

  it("stands before a last message that is itself clipped, and never opens the list as the assistant", () => {
    const listing = "The garage code, please, for this list:\n" + "row of a long pasted table\n".repeat(1_500);
    const long = [...messages.slice(1, -1), { role: "user", content: listing }];
    const settings = { ...options, target: 1, recall: 300, preset: "chat", format: "anthropic-messages" } as const;
    const out = foldSync(long, settings).messages as { role: string; content: string }[];
    expect(out.at(-1)!.role).toBe("user");
    expect(JSON.stringify(out.at(-1))).toContain("The garage code, please");
    expect(out.findIndex((message) => JSON.stringify(message).includes("code is 9912"))).toBeLessThan(out.length - 1);
    const only = [{ role: "user", content: "The garage code is 9912." }, ...long.slice(-1)];
    expect(foldSync(only, settings).messages[0]).toMatchObject({ role: "user" });
  });

  it.each(["agent", "chat"] as const)("answers a question by default with %s, in half the room of talk", (preset) => {
    const { messages: out } = foldSync(messages, { model: "gpt-4o", preset, budget: 2_000 });
    expect(excerptsIn(out)).toContain("garage code is 9912");
    const told = [...messages.slice(0, -1), { role: "user", content: "Painting 20 and the garage code, please." }];
    const fewer = excerptsIn(foldSync(told, { model: "gpt-4o", preset, budget: 2_000 }).messages);
    expect(fewer.length).toBeLessThan(excerptsIn(out).length * 0.5);
  });

  it("leaves the room to the digest where most was done by tools, and never takes more than 3000 tokens", () => {
    const question = { role: "user", content: "Which painting was restored some years ago, by the garage code?" };
    const talk = [...messages.slice(1, -1), question];
    const worked = talk.flatMap((message, at) => {
      if (message.role !== "assistant" || at % 4 !== 1) return [message];
      const call = { id: `c${at}`, type: "function", function: { name: "look", arguments: `{"hall":${at}}` } };
      const seen = `${message.content} `.repeat(6);
      return [
        { role: "assistant", content: null, tool_calls: [call] },
        { role: "tool", tool_call_id: `c${at}`, content: seen },
        message,
      ];
    });
    const size = (list: readonly unknown[]) =>
      excerptsIn(foldSync(list, { model: "gpt-4o", budget: 3_000 }).messages).length;
    expect(size(worked)).toBeLessThan(size(talk) * 0.5);
    const long = [...Array.from({ length: 12 }, () => talk.slice(0, -1)).flat(), question];
    const { messages: out } = foldSync(long, { model: "gpt-4o", budget: 20_000 });
    expect(countTokens([{ role: "user", content: excerptsIn(out) }], { model: "gpt-4o" })).toBeLessThanOrEqual(3_100);
  });
});

function excerptsIn(list: readonly unknown[]): string {
  return (
    (list as { content: unknown }[])
      .map(({ content }) => String(content))
      .find((text) => text.startsWith("[Excerpts")) ?? ""
  );
}
