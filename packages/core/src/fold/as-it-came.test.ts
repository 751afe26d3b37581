import { describe, expect, it } from "vitest";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import { foldSync } from "./fold-sync.ts";
import { memoryCache } from "./memory-cache.ts";

const counter = getCounter("len/4");
const talk = (turns: number) =>
  Array.from({ length: turns }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Point ${at}: the pump in hall ${at} was looked at, cleaned and put back. `.repeat(4),
  }));
const blocks = (turns: number) =>
  talk(turns).map(({ role, content }) => ({ role, content: [{ type: "text", text: content }] }));
const settings = { counter, budget: 1_500, recall: 0 } as const;

describe("messages leave as they came", () => {
  it("the very objects where something unreadable is left out and the rest fits", () => {
    const chat = talk(6);
    const result = foldSync([chat[0], { role: 42 }, ...chat.slice(1)], { counter, onInvalid: "skip" });
    expect(result).toMatchObject({ outcome: "fits", changed: true, state: undefined });
    expect(result.messages).toHaveLength(6);
    result.messages.forEach((message, at) => {
      expect(message).toBe(chat[at]);
    });
    expect(result.plan).toMatchObject({ atoms: [], decisions: [], reasons: [], spans: [], cuts: [], rungs: [] });
  });

  it("the very objects beside a frame, and what is clipped is written anew", () => {
    const chat = talk(60);
    const result = foldSync(chat, settings);
    expect(result.changed).toBe(true);
    const made = result.messages.filter((message) => !chat.includes(message));
    expect(made).toHaveLength(1);
    const log = Array.from({ length: 4_000 }, (_, line) => `line ${line}: ok`).join("\n");
    const call = { id: "a", type: "function", function: { name: "read", arguments: "{}" } };
    const run = [
      { role: "user", content: "Read the log." },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: log },
      { role: "assistant", content: "Read." },
    ];
    const clipped = foldSync(run, { counter, clipNewResults: 0.05 });
    expect(clipped.messages.map((message, at) => message === run[at])).toEqual([true, true, false, true]);
    expect(clipped.messages[2]).toMatchObject({ role: "tool", tool_call_id: "a" });
    expect((clipped.messages[2] as { content: string }).content.length).toBeLessThan(log.length / 2);
  });

  it("a frame is spelled as the messages of its role are, text or blocks", () => {
    const made = (messages: readonly { role: string; content: unknown }[], preset: "agent" | "compact") => {
      const role = preset === "agent" ? "user" : "assistant";
      const result = foldSync(messages, { ...settings, preset, target: 0.3, format: "openai-chat" });
      return result.messages.find((message) => !messages.includes(message) && message.role === role)!;
    };
    expect(made(talk(60), "agent").content).toEqual(expect.any(String));
    expect(made(blocks(60), "agent").content).toEqual([{ type: "text", text: expect.any(String) }]);
    // A person's messages as blocks, the model's as text: each frame like those who say it.
    const mixed = blocks(60).map((message, at) => (at % 2 === 0 ? message : talk(60)[at]!));
    expect(made(mixed, "agent")).toMatchObject({ role: "user", content: [{ type: "text" }] });
    expect(made(mixed, "compact")).toMatchObject({ role: "assistant", content: expect.any(String) });
  });

  it("a frame of a role that nobody has is spelled as the user's messages are", () => {
    const asked = blocks(60).filter(({ role }) => role === "user");
    const mixed = [{ role: "developer", content: "Be brief." }, ...asked];
    const result = foldSync(mixed, { ...settings, preset: "sandwich", format: "openai-chat" });
    const made = result.messages.find((message) => !mixed.includes(message))!;
    expect(made.role).toBe("system");
  });
});

describe("a fold that somebody else does", () => {
  it("gets the record that may be carried on, and its result is returned as it is", async () => {
    const done = foldSync(talk(60), settings);
    const seen: unknown[] = [];
    const elsewhere = async (record: unknown) => {
      seen.push(record);
      return done;
    };
    expect(await fold(talk(60), { ...settings, elsewhere })).toBe(done);
    const saved: unknown[] = [];
    const cache = { find: () => done.state, save: (record: unknown) => void saved.push(record) };
    expect(await fold(talk(100), { ...settings, elsewhere, cache })).toBe(done);
    expect(seen).toEqual([undefined, done.state]);
    expect(saved).toEqual([]);
  });

  it("is not asked where everything fits, or an earlier fold still does", async () => {
    const elsewhere = () => Promise.reject(new Error("not needed"));
    expect((await fold(talk(4), { ...settings, elsewhere })).outcome).toBe("fits");
    const first = foldSync(talk(60), settings);
    expect((await fold(talk(60), { ...settings, elsewhere, state: first.state })).outcome).toBe("reused");
  });
});

describe("a cache", () => {
  it("is asked by every call that is too large, told of every new fold and of nothing else", async () => {
    const saved: unknown[] = [];
    const asked: number[] = [];
    const cache = {
      find: (chain: readonly string[]) => {
        asked.push(chain.length);
        return saved.at(-1) as never;
      },
      save: (record: unknown, plan: unknown) => {
        expect(plan).toBeDefined();
        saved.push(record);
      },
    };
    expect((await fold(talk(4), { ...settings, cache })).outcome).toBe("fits");
    expect(asked).toEqual([]);
    const first = await fold(talk(60), { ...settings, cache });
    expect(saved).toEqual([first.state]);
    const again = await fold(talk(60), { ...settings, cache });
    expect(again.outcome).toBe("reused");
    expect(saved).toHaveLength(1);
    const forced = await fold(talk(60), { ...settings, cache, force: true });
    expect(forced.outcome).toBe("folded");
    expect(saved).toHaveLength(2);
    expect(asked).toEqual([60, 60, 60]);
  });

  it("is told of a record that has grown by excerpts for a new question", async () => {
    const saved: { covers: number; origin?: string }[] = [];
    const cache = { find: () => saved.at(-1) as never, save: (record: never) => void saved.push(record) };
    const told = { role: "user", content: "The garage code is 9912, and my badge is ZX-4471." };
    const options = { counter, budget: 2_000, recall: 300, target: 0.5, cache } as const;
    const first = await fold([told, ...talk(60)], options);
    const question = { role: "user", content: "What was the garage code?" };
    const next = await fold([told, ...talk(60), question], options);
    expect(next.outcome).toBe("reused");
    expect(JSON.stringify(next.messages.slice(-3, -1))).toContain("9912");
    expect(saved).toHaveLength(2);
    expect(saved[1]).toMatchObject({ covers: 62, origin: first.state!.id });
    const { prefix } = next.state!;
    expect(saved[1]).toMatchObject({ id: `${prefix}-${(62).toString(36)}`, prefix });
    expect(prefix).not.toBe(first.state!.prefix);
    const { cache: _, ...without } = options;
    const handed = await fold([told, ...talk(60), question], { ...without, state: first.state! });
    expect(handed.messages).toEqual(next.messages);
  });

  it("that keeps records in memory finds the fold of a conversation that grew", async () => {
    const cache = memoryCache();
    const first = await fold(talk(60), { ...settings, cache });
    const next = await fold(talk(61), { ...settings, cache });
    expect([first.outcome, next.outcome]).toEqual(["folded", "reused"]);
    expect([first.warnings, next.warnings]).toEqual([[], []]);
    expect(next.messages.slice(0, first.messages.length)).toEqual(first.messages);
  });
});
