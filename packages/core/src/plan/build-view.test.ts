import { describe, expect, it } from "vitest";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { matchToolPairs } from "../atoms/match-tool-pairs.ts";
import { frame } from "../digest/frame.ts";
import type { Message, Role } from "../message/message.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { type BuildViewInput, buildView } from "./build-view.ts";
import { hold } from "./view.ts";

const counter = getCounter("gpt-4o");
const said = (role: Role, text = "words"): Message => ({ role, parts: [{ type: "text", text }] });
const system = said("system", "be brief");
const user = said("user");
const answer = said("assistant");
const calling: Message = { role: "assistant", parts: [{ type: "tool-call", id: "a", name: "look", input: "{}" }] };
const found: Message = {
  role: "tool",
  parts: [{ type: "tool-result", callId: "a", content: [{ type: "text", text: "x" }] }],
};
const framed = (role: Role) => said(role, frame({ kind: "summary", text: "what was said", covers: 4 }));

function view(messages: Message[], options: Partial<BuildViewInput> = {}) {
  const weights = messages.map(() => 10);
  const atoms = groupAtoms(messages, weights, matchToolPairs(messages));
  return buildView({ messages, weights, atoms, counter, fixed: 3, preserveRoles: [], ...options });
}
const names = Object.entries(hold);
const holds = (messages: Message[], options: Partial<BuildViewInput> = {}) =>
  [...view(messages, options).holds].map((value) => names.find(([, held]) => held === value)?.[0]);

describe("what must stay whatever a strategy wants", () => {
  it("the leading system messages and the newest words of the user, word for word", () => {
    expect(holds([system, system, user, answer, user])).toEqual([
      "untouchable",
      "untouchable",
      "free",
      "free",
      "untouchable",
    ]);
    const { start, lastUser, lastUserMessage, verbatim, fixed } = view([
      system,
      system,
      user,
      calling,
      found,
      user,
      answer,
    ]);
    expect({ start, lastUser, lastUserMessage, fixed }).toEqual({
      start: 2,
      lastUser: 4,
      lastUserMessage: 5,
      fixed: 3,
    });
    expect([...verbatim]).toEqual([5]);
  });

  it("what a client says in the user's name is not among the newest words of the user", () => {
    const reminder = "<system-reminder>\nThe date is known.\n</system-reminder>";
    const own = said("user", `${reminder}\nGo on.${reminder}`);
    expect(view([system, user, said("user", reminder), calling, found]).lastUserMessage).toBe(1);
    expect(view([system, user, said("user", reminder), own, calling, found]).lastUserMessage).toBe(3);
    // Where nobody says anything else, it is all there is.
    expect(view([said("user", reminder), said("user", `${reminder}\n${reminder}`), answer]).lastUserMessage).toBe(1);
  });

  it("without words of the user there are none to keep", () => {
    const { start, lastUser, lastUserMessage, verbatim } = view([answer, calling, found]);
    expect({ start, lastUser, lastUserMessage, size: verbatim.size }).toEqual({
      start: 0,
      lastUser: -1,
      lastUserMessage: -1,
      size: 0,
    });
  });

  it("the newest exchange, less firmly; instructions in the middle, least", () => {
    expect(holds([user, answer, system, user, calling, found])).toEqual([
      "free",
      "free",
      "late",
      "untouchable",
      "newest",
    ]);
  });

  it("the frame of an earlier fold is neither an instruction nor the user's words", () => {
    expect(holds([framed("system"), user, answer])).toEqual(["free", "untouchable", "newest"]);
    expect(holds([user, framed("system"), answer, user])).toEqual(["free", "free", "free", "untouchable"]);
    expect(holds([user, framed("user"), answer])).toEqual(["untouchable", "free", "newest"]);
    expect(view([framed("system"), system, user]).start).toBe(0);
  });

  it("a system message behind another one is not a leading one", () => {
    expect(view([system, user, system, answer]).start).toBe(1);
  });

  it("pinned messages, and those the caller pins", () => {
    const pinned = { ...answer, pinned: true };
    expect(holds([user, pinned, user, answer])).toEqual(["free", "untouchable", "untouchable", "newest"]);
    expect(holds([user, answer, user, answer], { pin: (message, index) => message === answer && index === 1 })).toEqual(
      ["free", "untouchable", "untouchable", "newest"],
    );
    const { verbatim } = view([user, calling, { ...found, pinned: true }, user]);
    expect([...verbatim]).toEqual([2, 3]);
    expect(holds([user, calling, { ...found, pinned: true }, user])).toEqual(["free", "untouchable", "untouchable"]);
  });

  it("roles that the settings keep: tools are exchanges", () => {
    const messages = [user, calling, found, answer, user, answer];
    expect(holds(messages, { preserveRoles: ["tool"] })).toEqual(["free", "stays", "free", "untouchable", "newest"]);
    expect(holds(messages, { preserveRoles: ["assistant", "user"] })).toEqual([
      "stays",
      "free",
      "stays",
      "untouchable",
      "stays",
    ]);
  });

  it("nothing up to a fold line that a person chose", () => {
    const messages = [system, user, answer, user, answer];
    expect(holds(messages, { foldLine: 4 })).toEqual(["untouchable", "free", "free", "free", "free"]);
    expect(view(messages, { foldLine: 4 })).toMatchObject({ lastUser: -1, lastUserMessage: -1 });
    expect(holds(messages, { foldLine: 3 })).toEqual(["untouchable", "free", "free", "free", "newest"]);
    expect(holds(messages, { foldLine: 2 })).toEqual(["untouchable", "free", "free", "untouchable", "newest"]);
    expect(holds([user], { foldLine: 0 })).toEqual(["free"]);
  });

  it("what an earlier fold did is handed on", () => {
    const earlier = new Map([[1, { first: 1, last: 2, frame: { text: "x", tokens: 3 } }]]);
    expect(view([user, answer], { earlier }).earlier).toBe(earlier);
    expect(view([user]).earlier.size).toBe(0);
  });
});
