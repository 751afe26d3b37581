import { describe, expect, it, vi } from "vitest";
import type { Message } from "../message/message.ts";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

const counter = getCounter("len/4");
const said = (role: Message["role"], text: string): Message => ({ role, parts: [{ type: "text", text }] });
const chat = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, at) =>
    said(
      at % 2 === 0 ? "user" : "assistant",
      at === 6
        ? "By the way, the garage code is 9912."
        : `Painting ${at} hangs in hall ${at % 7}. It was ${at % 5 === 0 ? "cleaned" : "restored"} some years ago. `.repeat(
            3,
          ),
    ),
  );
const question = said("user", "What was the garage code again?");
const textIn = ({ parts }: Message) => (parts[0]?.type === "text" ? parts[0].text : "");
const isExcerpt = (message: Message) => textIn(message).startsWith("[Excerpts of earlier");
const run = (messages: readonly Message[], more: FoldOptions = {}) =>
  foldSync(messages, {
    format: "midfold",
    counter,
    budget: 1_500,
    target: 0.5,
    recall: 200,
    ...more,
  } as never);
const excerpts = (messages: readonly Message[], more: FoldOptions = {}) =>
  run(messages, more).messages.filter((message) => isExcerpt(message as Message)) as Message[];

const call = (id: string, hosted = false): Message => ({
  role: "assistant",
  parts: [{ type: "tool-call", id, name: "look", input: "{}", ...(hosted ? { hosted } : {}) }],
});
const result = (callId: string, text = "found"): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, content: [{ type: "text", text }] }],
});

describe("excerpts are put back", () => {
  it("before a question of the user, and only there", () => {
    expect(excerpts([...chat(60), question])).toHaveLength(1);
    expect(excerpts([...chat(60), question, said("assistant", "Let me see.")])).toHaveLength(0);
    expect(excerpts([...chat(60), question, call("a"), result("a")])).toHaveLength(0);
  });

  it("not between a call and what answers it", () => {
    const answered: Message = { role: "user", parts: [...result("a").parts, ...question.parts] };
    expect(excerpts([...chat(60), call("a"), answered])).toHaveLength(0);
    expect(excerpts([...chat(60), call("a"), question])).toHaveLength(0);
    // What the provider ran itself needs no answer.
    expect(excerpts([...chat(60), call("a", true), question])).toHaveLength(1);
    // The results of one step may come in several messages.
    const two: Message = { role: "assistant", parts: [...call("a").parts, ...call("b").parts] };
    const second: Message = { role: "user", parts: [...result("b").parts, ...question.parts] };
    expect(excerpts([...chat(60), two, result("a"), second])).toHaveLength(0);
    const spoke: Message = { role: "assistant", parts: [{ type: "text", text: "Wait." }, ...call("a").parts] };
    expect(excerpts([...chat(60), spoke, question])).toHaveLength(0);
  });

  it("within the tokens that were asked for, and not below what is worth reading", () => {
    for (const recall of [64, 100, 150, 200, 400]) {
      for (const excerpt of excerpts([...chat(60), question], { recall })) {
        expect(counter.countMessage(excerpt)).toBeLessThanOrEqual(recall);
      }
    }
    // With the line of the other side that they need, where there is more to quote than they may hold.
    const much = [...chat(60), said("user", "Which paintings were restored some years ago?")];
    for (let recall = 100; recall < 300; recall += 7) {
      const out = run(much, { recall }).messages as Message[];
      const added = out.filter((message) => isExcerpt(message) || textIn(message) === "OK");
      expect(added.length).toBeGreaterThan(0);
      expect(counter.countMessages(added)).toBeLessThanOrEqual(recall);
    }
    expect(excerpts([...chat(60), question], { recall: 100 })).toHaveLength(1);
    expect(excerpts([...chat(60), question], { recall: 63 })).toHaveLength(0);
  });

  it("with room that was set aside for them: the plan is smaller by it", () => {
    const plan = (recall: number) =>
      planOnly([...chat(60), question], { format: "midfold", counter, budget: 1_500, recall } as never).tokens;
    expect(plan(0).after - plan(300).after).toBeGreaterThan(250);
    expect(plan(300).budget).toBe(1_500);
    expect(run([...chat(60), question], { recall: 300, target: 1 }).tokens.after).toBeLessThanOrEqual(1_500);
  });

  it("and nothing where nothing bears on the question, or where there is nothing before it", () => {
    const without = run([...chat(60), said("user", "Zebrafish?")]).messages as Message[];
    expect(without.filter((message) => isExcerpt(message) || textIn(message) === "")).toEqual([]);
    const alone = said("user", `What was the garage code? ${"A long row of words. ".repeat(600)}`);
    expect(run([alone], { preset: "chat" }).messages).toHaveLength(1);
  });

  it("of what was folded, not of what stands before it", () => {
    const first = said("user", "The garage code is 1111, said the painter.");
    const messages = [first, ...chat(90), question];
    const out = run(messages, { preset: { ...presets.proxy, recall: 0.5 }, budget: 2_400, recall: 2_000 }).messages;
    expect(out[0]).toBe(first);
    const [excerpt] = (out as Message[]).filter(isExcerpt);
    expect(textIn(excerpt!)).toContain("9912");
    expect(textIn(excerpt!)).not.toContain("1111");
  });

  it("just before the question, also where an older result is clipped", () => {
    const long = result("a", "A row of the table of paintings. ".repeat(400));
    const messages = [...chat(30), said("user", "Look."), call("a"), long, said("assistant", "Done."), question];
    const preset = { ...presets.agent, rungs: ["clip-results", "fold-middle"] as const };
    const out = run(messages, { preset, budget: 3_000, target: 0.9 }).messages as Message[];
    expect(out.at(-1)).toBe(question);
    const at = out.findIndex(isExcerpt);
    expect(at).toBe(out.length - 3);
    const clipped = out.findIndex(({ role }) => role === "tool");
    expect(clipped).toBeGreaterThan(0);
    expect(out[clipped]).not.toBe(long);
    expect(clipped).toBeLessThan(at);
  });

  it("fewer where most was done by calls, however short their results are and whatever is said beside them", () => {
    const asked = said("user", "Which paintings were cleaned some years ago?");
    const work = (beside: boolean) => (at: number) => [
      {
        role: "assistant",
        parts: [
          ...(beside ? [{ type: "text", text: "I write." }] : []),
          { type: "tool-call", id: `c${at}`, name: "write", input: JSON.stringify({ text: "A page. ".repeat(60) }) },
        ],
      } as Message,
      result(`c${at}`, "ok"),
    ];
    const size = (messages: readonly Message[]) =>
      (run([...chat(60), ...messages, asked], { recall: undefined as never, budget: 3_000 }).messages as Message[])
        .filter(isExcerpt)
        .reduce((sum, message) => sum + counter.countMessage(message), 0);
    const talk = size(chat(30).slice(8));
    const at = Array.from({ length: 20 }, (_, index) => index);
    expect(size(at.flatMap(work(false)))).toBeLessThan(talk * 0.6);
    expect(size(at.flatMap(work(true)))).toBeLessThan(talk * 0.6);
  });

  it("not for words that most messages have or none has: then the fold has all the room", () => {
    const filled = (text: string) => {
      const options = { recall: undefined as never, target: undefined as never, budget: 2_000 };
      const { messages, tokens } = run([...chat(200), said("user", text)], options);
      return { excerpts: (messages as Message[]).filter(isExcerpt).length, tokens: tokens.after };
    };
    for (const text of ["Which painting was restored?", "Who won the election in Peru?", "Go on, please."]) {
      const { excerpts, tokens } = filled(text);
      expect(excerpts).toBe(0);
      expect(tokens).toBeGreaterThan(1_800);
    }
    expect(filled("What was the garage code?").excerpts).toBe(1);
  });

  it("after looking up few words of a long message: each may read through the whole conversation", () => {
    const long = Array.from({ length: 5_000 }, (_, at) => `unheard${at}`).join(" ");
    const looked = vi.spyOn(String.prototype, "includes");
    run([...chat(20), said("user", long)], { recall: undefined as never, budget: 12_000 });
    const lookups = looked.mock.calls.filter(([text]) => String(text).startsWith("unheard")).length;
    looked.mockRestore();
    expect(lookups).toBeLessThanOrEqual(40 * 20);
  });

  it("for words with accents and other endings", () => {
    const talk = chat(200).with(8, said("user", "Die Größe der Tür beträgt 207 cm, say the ferries."));
    for (const text of ["Welche Größe?", "Und die Tür?", "Any ferry?"]) {
      expect(excerpts([...talk, said("user", text)], { recall: undefined as never, budget: 2_000 })).toHaveLength(1);
    }
  });

  it("of what was folded, not of what still stands there", () => {
    const messages = [
      ...chat(60),
      said("user", "The code of the bicycle cellar is 5507."),
      said("assistant", "OK"),
      question,
    ];
    const [excerpt] = excerpts(messages);
    expect(textIn(excerpt!)).toContain("garage code is 9912");
    expect(textIn(excerpt!)).not.toContain("5507");
  });

  it("with proxy in a tenth of the spare room, and with nothing set aside", () => {
    const preset = { ...presets.proxy, recall: 0.5 };
    const settings = { preset, budget: 2_400, target: 0.4 } as const;
    const { messages, tokens } = run([...chat(90), question], { ...settings, recall: 2_000 });
    const [excerpt] = messages.filter((message) => isExcerpt(message as Message)) as Message[];
    const without = run([...chat(90), question], { ...settings, recall: 0 });
    const room = 2_400 - without.tokens.after;
    expect(counter.countMessage(excerpt!)).toBeLessThanOrEqual(room / 10);
    expect(counter.countMessage(excerpt!)).toBeGreaterThan(30);
    const isNote = (message: Message) => textIn(message) === "OK";
    const others = (messages as Message[]).filter((message) => message !== excerpt && !isNote(message));
    expect(others).toEqual((without.messages as Message[]).filter((message) => !isNote(message)));
    expect(tokens.after).toBeLessThanOrEqual(2_400);
  });

  it("less in a session, where they stay, than in a single call", async () => {
    const asked = "Which paintings were cleaned some years ago?";
    const messages = [...chat(120), said("user", asked)];
    const size = async (more: FoldOptions) => {
      const { messages: out } = await fold(messages, {
        format: "midfold",
        counter,
        budget: 3_000,
        target: 0.5,
        ...more,
      });
      return out.filter(isExcerpt).reduce((sum, message) => sum + counter.countMessage(message), 0);
    };
    const single = await size({});
    const session = await size({ state: undefined });
    expect(single).toBeGreaterThan(300);
    expect(session).toBeLessThan(single / 2);
    expect(await size({ cache: { find: () => undefined, save: () => {} } })).toBe(session);
  });
});

describe("in turns, where the format wants them", () => {
  const wire = (messages: readonly Message[]) =>
    messages.map((message) => ({ role: message.role, content: textIn(message) }));
  const roles = (messages: readonly Message[], more: FoldOptions = {}) => {
    const { messages: out } = foldSync(wire(messages), {
      format: "anthropic-messages",
      counter,
      budget: 1_500,
      target: 0.5,
      recall: 200,
      ...more,
    } as never);
    const list = out as { role: string; content: unknown }[];
    const at = list.findIndex(({ content }) => JSON.stringify(content).includes("[Excerpts of earlier"));
    return { at, roles: list.map(({ role }) => role), list };
  };

  it("the user says them and the assistant takes note, where it is the user's turn", () => {
    const { at, roles: spoken, list } = roles([...chat(60), question]);
    expect(at).toBe(spoken.length - 3);
    expect(spoken.slice(-4)).toEqual(["assistant", "user", "assistant", "user"]);
    expect(JSON.stringify(list.at(-2))).toContain("OK");
  });

  it("the assistant says them where the user spoke last", () => {
    const { at, roles: spoken } = roles([...chat(60), said("user", "One more thing."), question]);
    expect(at).toBeGreaterThan(0);
    expect(spoken.slice(at, at + 2)).toEqual(["assistant", "user"]);
    expect(spoken[at - 1]).toBe("user");
  });
});

it("a later question looks through the newest 50,000 tokens of what was folded", () => {
  const filler = (at: number) =>
    said(at % 2 === 0 ? "user" : "assistant", `Painting ${at} hangs in a hall. `.repeat(150));
  const messages = [
    said("user", "The code of the attic is 3306."),
    ...Array.from({ length: 59 }, (_, at) => filler(at + 1)),
    said("user", "The garage code is 9912."),
    ...Array.from({ length: 9 }, (_, at) => filler(at + 61)),
  ];
  const settings = { budget: 3_000, target: 0.4, recall: 200 } as const;
  const first = run(messages, settings);
  expect(first.outcome).toBe("folded");
  const later = (text: string) => {
    const next = run([...messages, said("user", text)], { ...settings, state: first.state });
    expect(next.outcome).toBe("reused");
    return JSON.stringify(next.messages.slice(-3, -1));
  };
  expect(later("What was the garage code?")).toContain("9912");
  expect(later("What was the code of the attic?")).not.toContain("3306");
});
