import { describe, expect, it } from "vitest";
import { frame } from "../digest/frame.ts";
import type { FormatTraits } from "../formats/format.ts";
import type { Message, Role } from "../message/message.ts";
import type { TextPart } from "../message/part.ts";
import { applyEdits } from "./apply-edits.ts";
import type { Edit } from "./fold-record.ts";
import { type VerifyInput, verify } from "./verify.ts";

const free: FormatTraits = { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false };
const words = (text: string): TextPart => ({ type: "text", text });
const said = (role: Role, text = "words"): Message => ({ role, parts: [words(text)] });
const calling: Message = { role: "assistant", parts: [{ type: "tool-call", id: "a", name: "look", input: "{}" }] };
const found: Message = { role: "tool", parts: [{ type: "tool-result", callId: "a", content: [words("x")] }] };
const drop = (first: number, last = first): Edit => ({ do: "drop", first, last });
const rewrite = (at: number): Edit => ({ do: "parts", at, parts: [words("other words")] });

const check = (before: Message[], edits: Edit[], more: Partial<VerifyInput> = {}) =>
  verify({ before, after: applyEdits(before, edits), tokens: 100, budget: 100, traits: free, ...more });

describe("what is wrong with an outgoing conversation", () => {
  const chat = [said("system"), said("user"), calling, found, said("assistant"), said("user")];

  it("nothing, where the middle is gone", () => {
    expect(check(chat, [])).toEqual([]);
    expect(check(chat, [drop(1, 4)])).toEqual([]);
  });

  it("it is over the budget", () => {
    expect(check(chat, [], { tokens: 101 })).toEqual(["it is 101 tokens, over the budget of 100"]);
  });

  it("messages changed places, or came twice", () => {
    const after = { messages: [chat[0]!, chat[5]!, chat[1]!], origins: [0, 5, 1] };
    expect(verify({ before: chat, after, tokens: 1, budget: 2, traits: free })).toEqual(["message 1 is out of order"]);
    const twice = { messages: [chat[0]!, chat[5]!, chat[5]!], origins: [0, 5, 5] };
    expect(verify({ before: chat, after: twice, tokens: 1, budget: 2, traits: free })).toEqual([
      "message 5 is out of order",
    ]);
  });

  it("a leading system message was changed", () => {
    const before = [said("system"), said("system", "two"), said("user"), said("system", "late"), said("user")];
    expect(check(before, [rewrite(1)])).toEqual(["system message 1 was changed"]);
    expect(check(before, [drop(0)])).toEqual(["system message 0 was changed"]);
    expect(check(before, [drop(3)])).toEqual([]);
    const framed = said("system", frame({ kind: "summary", text: "what was said", covers: 4 }));
    expect(check([framed, said("user")], [drop(0)])).toEqual([]);
  });

  it("the last user message was changed, unless the preset may clip it or a fold line is behind it", () => {
    expect(check(chat, [rewrite(5)])).toEqual(["the last user message (5) was changed"]);
    expect(check(chat, [rewrite(5)], { mayClipLast: true })).toEqual([]);
    expect(check(chat, [rewrite(5)], { mayClipLast: false })).toHaveLength(1);
    expect(check(chat, [rewrite(5)], { foldLine: 5 })).toEqual([]);
    expect(check(chat, [rewrite(5)], { foldLine: 4 })).toHaveLength(1);
    expect(check([said("user"), said("assistant")], [rewrite(0)])).toEqual(["the last user message (0) was changed"]);
    expect(check([said("assistant")], [rewrite(0)])).toEqual([]);
  });

  it("a pinned message was changed", () => {
    const before = [said("user"), { ...said("assistant"), pinned: true }, said("user")];
    expect(check(before, [drop(0, 1)])).toEqual(["pinned message 1 was changed"]);
    expect(check(before, [drop(0)])).toEqual([]);
    const pin = (message: Message, index: number) => message.role === "user" && index === 0;
    expect(check(before, [drop(0)], { pin })).toEqual(["pinned message 0 was changed"]);
    expect(check(before, [], { pin })).toEqual([]);
  });

  it("a result lost its call, or a call its result", () => {
    expect(check(chat, [drop(2)])).toEqual(["message 2 has a tool call or result without its partner"]);
    expect(check(chat, [drop(3)])).toEqual(["message 2 has a tool call without its result"]);
    expect(check([...chat.slice(0, 3), said("user")], [])).toEqual(["message 2 has a tool call without its result"]);
  });

  it("a call that may still be running needs no result yet", () => {
    expect(check(chat.slice(0, 3), [])).toEqual([]);
  });

  it("what must stay word for word stays, also where it came in broken", () => {
    const last: Message = { role: "user", parts: [{ type: "tool-result", callId: "x", content: [] }, words("see")] };
    expect(check([said("user"), last], [])).toEqual([]);
    expect(check([last, said("user")], [])).toEqual(["message 0 has a tool call or result without its partner"]);
    expect(check([{ ...last, pinned: true }, said("user")], [])).toEqual([]);
    expect(check([last, said("user")], [], { pin: (_, index) => index === 0 })).toEqual([]);
    expect(check([{ ...calling, pinned: true }, said("user")], [])).toEqual([]);
    const inserted: Edit = { do: "insert", before: 0, role: "tool", parts: found.parts };
    expect(check([said("user")], [inserted])).toEqual(["message 0 has a tool call or result without its partner"]);
  });

  it("it starts with the assistant, where the user must speak first and did", () => {
    const strict = { traits: { ...free, alternates: true } };
    const before = [said("system"), said("user"), said("assistant"), said("user")];
    expect(check(before, [drop(1)], strict)).toEqual(["it starts with an assistant message"]);
    expect(check(before, [drop(1)])).toEqual([]);
    expect(check(before, [drop(1, 2)], strict)).toEqual([]);
    expect(check(before.slice(2), [], strict)).toEqual([]);
  });
});
