import { describe, expect, it } from "vitest";
import type { Message, Role } from "../message/message.ts";
import type { Part, TextPart } from "../message/part.ts";
import { findLastUser } from "./find-last-user.ts";
import { findRunning } from "./find-running.ts";
import { groupAtoms } from "./group-atoms.ts";
import { matchToolPairs, PairMatcher } from "./match-tool-pairs.ts";

const text = (words: string): TextPart => ({ type: "text", text: words });
const call = (id: string, hosted?: boolean): Part => ({
  type: "tool-call",
  id,
  name: "look",
  input: "{}",
  ...(hosted === undefined ? {} : { hosted }),
});
const result = (callId: string, hosted?: boolean): Part => ({
  type: "tool-result",
  callId,
  content: [text("found")],
  ...(hosted === undefined ? {} : { hosted }),
});
const thought: Part = { type: "reasoning", text: "hm" };
const message = (role: Role, ...parts: Part[]): Message => ({ role, parts });
const user = message("user", text("hello"));
const answer = message("assistant", text("hi"));

/** The atoms as `kind first-last`, each message weighing 10 more than the one before. */
function atomsOf(messages: Message[]) {
  const weights = messages.map((_, index) => (index + 1) * 10);
  return groupAtoms(messages, weights, matchToolPairs(messages));
}
const shape = (messages: Message[]) => atomsOf(messages).map(({ kind, first, last }) => `${kind} ${first}-${last}`);

describe("messages that may not be cut apart", () => {
  it("each plain message is an atom of its own, named after who speaks", () => {
    expect(shape([message("system", text("be brief")), user, answer, user])).toEqual([
      "system 0-0",
      "user 1-1",
      "assistant 2-2",
      "user 3-3",
    ]);
    expect(shape([])).toEqual([]);
  });

  it("a call stays with its result, and weighs what both weigh", () => {
    const messages = [user, message("assistant", call("a")), message("tool", result("a")), answer];
    expect(atomsOf(messages)).toEqual([
      { kind: "user", first: 0, last: 0, tokens: 10, pinned: false },
      { kind: "exchange", first: 1, last: 2, tokens: 50, pinned: false },
      { kind: "assistant", first: 3, last: 3, tokens: 40, pinned: false },
    ]);
  });

  it("several calls of one message stay with all their results", () => {
    const messages = [
      message("assistant", call("a"), call("b")),
      message("tool", result("a")),
      message("tool", result("b")),
    ];
    expect(shape([...messages, user])).toEqual(["exchange 0-2", "user 3-3"]);
  });

  it("exchanges that overlap are one, also over a message of the user", () => {
    const messages = [
      message("assistant", call("a")),
      user,
      message("assistant", call("b")),
      message("tool", result("a")),
      message("tool", result("b")),
      answer,
    ];
    expect(shape(messages)).toEqual(["exchange 0-4", "assistant 5-5"]);
  });

  it("a message that is pinned pins the exchange it is part of", () => {
    const pinned: Message = { ...message("tool", result("a")), pinned: true };
    expect(atomsOf([user, message("assistant", call("a")), pinned]).map((atom) => atom.pinned)).toEqual([false, true]);
    expect(atomsOf([{ ...user, pinned: true }, answer]).map((atom) => atom.pinned)).toEqual([true, false]);
  });

  it("a reasoning item stays with the item it led to", () => {
    expect(shape([user, message("assistant", thought), answer])).toEqual(["user 0-0", "exchange 1-2"]);
    expect(
      shape([user, message("assistant", thought), message("assistant", call("a")), message("tool", result("a"))]),
    ).toEqual(["user 0-0", "exchange 1-3"]);
    // Several in a row lead to the same item.
    expect(shape([message("assistant", thought), message("assistant", thought), answer])).toEqual(["exchange 0-2"]);
  });

  it("a reasoning item with nothing of the assistant behind it is alone, and so is one that also says something", () => {
    expect(shape([message("assistant", thought), user])).toEqual(["assistant 0-0", "user 1-1"]);
    expect(shape([message("assistant", thought)])).toEqual(["assistant 0-0"]);
    expect(shape([message("assistant", thought, text("so")), answer])).toEqual(["assistant 0-0", "assistant 1-1"]);
    expect(shape([message("user", thought), answer])).toEqual(["user 0-0", "assistant 1-1"]);
  });

  it("an empty message of the assistant leans on nothing", () => {
    expect(shape([message("assistant"), answer])).toEqual(["assistant 0-0", "assistant 1-1"]);
  });

  it("parallel calls that come as separate items are one exchange with all results", () => {
    const messages = [
      message("assistant", call("a")),
      message("assistant", call("b")),
      message("tool", result("a")),
      message("tool", result("b")),
    ];
    expect(shape(messages)).toEqual(["exchange 0-3"]);
    const talking = [message("assistant", text("both"), call("a")), message("assistant", text("and"), call("b"))];
    expect(shape(talking)).toEqual(["exchange 0-1"]);
    // Unanswered yet: still together, for they are answered together.
    expect(shape(messages.slice(0, 2))).toEqual(["exchange 0-1"]);
  });

  it("words before or after a call are a message of their own", () => {
    expect(shape([answer, message("assistant", call("a")), message("tool", result("a")), answer])).toEqual([
      "assistant 0-0",
      "exchange 1-2",
      "assistant 3-3",
    ]);
    expect(shape([message("assistant", call("a")), answer])).toEqual(["exchange 0-0", "assistant 1-1"]);
  });

  it("an open call and an orphaned result are exchanges too", () => {
    expect(shape([message("assistant", text("I look"), call("a"))])).toEqual(["exchange 0-0"]);
    expect(shape([message("tool", text("no result"))])).toEqual(["exchange 0-0"]);
    expect(shape([message("user", result("x"), text("see"))])).toEqual(["exchange 0-0"]);
  });

  it("what the provider's own tools did needs no pair", () => {
    expect(shape([message("assistant", call("a", true), result("a", true), text("done")), user])).toEqual([
      "assistant 0-0",
      "user 1-1",
    ]);
    expect(shape([message("assistant", call("a", true)), message("assistant", call("b", true))])).toEqual([
      "assistant 0-0",
      "assistant 1-1",
    ]);
    expect(shape([message("assistant", call("a", false)), message("assistant", call("b", false))])).toEqual([
      "exchange 0-1",
    ]);
  });
});

describe("a conversation that grew", () => {
  const start = [user, message("assistant", call("a")), message("tool", result("a")), answer, user];
  const grown = [...start, message("assistant", call("b")), message("tool", result("b")), answer];
  const weightsOf = (messages: Message[]) => messages.map((_, index) => (index + 1) * 10);

  it("is grouped as if it were read for the first time, and takes over the atoms that still hold", () => {
    const earlier = atomsOf(start);
    const now = groupAtoms(grown, weightsOf(grown), matchToolPairs(grown), earlier);
    expect(now).toEqual(atomsOf(grown));
    expect(now.slice(0, 3)).toEqual(earlier.slice(0, 3));
    for (const index of [0, 1, 2]) expect(now[index]).toBe(earlier[index]);
  });

  it("the newest atom is looked at again: it may have grown together with what follows", () => {
    const open = [user, message("assistant", thought)];
    const now = [...open, answer];
    expect(groupAtoms(now, weightsOf(now), matchToolPairs(now), atomsOf(open))).toEqual(atomsOf(now));
  });

  it("an answer that came late makes an older atom longer", () => {
    const open = [message("assistant", call("a")), user, answer, user];
    const now = [...open, message("tool", result("a"))];
    expect(
      groupAtoms(now, weightsOf(now), matchToolPairs(now), atomsOf(open)).map(({ first, last }) => [first, last]),
    ).toEqual([[0, 4]]);
  });

  it("atoms are weighed anew when the weights are other ones", () => {
    const heavier = weightsOf(grown).map((weight) => weight * 2);
    const now = groupAtoms(grown, heavier, matchToolPairs(grown), atomsOf(start));
    expect(now.map(({ tokens }) => tokens)).toEqual([20, 100, 80, 100, 260, 160]);
  });

  it("a conversation that became shorter is grouped by what is left of it", () => {
    const now = grown.slice(0, 2);
    expect(groupAtoms(now, weightsOf(now), matchToolPairs(now), atomsOf(grown))).toEqual(atomsOf(now));
    const fewer = grown.slice(0, 4);
    expect(groupAtoms(fewer, weightsOf(fewer), matchToolPairs(fewer), atomsOf(grown))).toEqual(atomsOf(fewer));
  });

  it("atoms of an earlier grouping that begin elsewhere are passed over", () => {
    // The answer to `a` came only now, over two atoms that were there before.
    const open = [message("assistant", call("a")), user, answer, user, answer, user];
    const now = [open[0]!, user, message("tool", result("a")), user, answer, user];
    expect(groupAtoms(now, weightsOf(now), matchToolPairs(now), atomsOf(open))).toEqual(atomsOf(now));
  });
});

describe("tool calls and their results", () => {
  it("reach from the call to its result; a message without calls reaches itself", () => {
    const { reach, strays, unanswered } = matchToolPairs([
      user,
      message("assistant", call("a"), call("b")),
      message("tool", result("b")),
      message("tool", result("a")),
    ]);
    expect(reach).toEqual([0, 3, 2, 3]);
    expect(strays).toEqual([]);
    expect(unanswered).toEqual([]);
  });

  it("names what was never answered, and results nobody asked for", () => {
    const { strays, unanswered } = matchToolPairs([
      message("assistant", text("I look"), call("a")),
      message("tool", result("x")),
      user,
    ]);
    expect(unanswered).toEqual([{ message: 0, part: 1 }]);
    expect(strays).toEqual([{ message: 1, part: 0 }]);
  });

  it("a second answer is a stray", () => {
    const { strays, reach } = matchToolPairs([
      message("assistant", call("a")),
      message("tool", result("a")),
      message("tool", result("a")),
    ]);
    expect(strays).toEqual([{ message: 2, part: 0 }]);
    expect(reach).toEqual([1, 1, 2]);
  });

  it("an id may be used again once it was answered; called again unanswered, the first call is a stray", () => {
    const again = [message("assistant", call("0")), message("tool", result("0"))];
    expect(matchToolPairs([...again, ...again])).toEqual({ reach: [1, 1, 3, 3], strays: [], unanswered: [] });
    const twice = matchToolPairs([
      message("assistant", call("0")),
      message("assistant", call("0")),
      message("tool", result("0")),
    ]);
    expect(twice).toEqual({ reach: [0, 2, 2], strays: [{ message: 0, part: 0 }], unanswered: [] });
  });

  it("leaves the provider's own tools alone", () => {
    expect(matchToolPairs([message("assistant", call("a", true)), message("assistant", result("b", true))])).toEqual({
      reach: [0, 1],
      strays: [],
      unanswered: [],
    });
  });

  it("goes on where it was, and an answer given before does not change", () => {
    const matcher = new PairMatcher();
    expect(matcher.count).toBe(0);
    matcher.add(message("assistant", call("a")));
    matcher.add(message("tool", result("x")));
    expect(matcher.count).toBe(2);
    const before = matcher.pairs();
    matcher.add(message("tool", result("a")));
    matcher.add(message("tool", result("y")));
    expect(before).toEqual({ reach: [0, 1], strays: [{ message: 1, part: 0 }], unanswered: [{ message: 0, part: 0 }] });
    expect(matcher.pairs()).toEqual({
      reach: [2, 1, 2, 3],
      strays: [
        { message: 1, part: 0 },
        { message: 3, part: 0 },
      ],
      unanswered: [],
    });
  });
});

describe("where the conversation stands", () => {
  const never = () => false;
  it("the newest words of the user are found behind what the assistant and tools said", () => {
    expect(findLastUser([user, answer, user, answer, message("tool", result("a"))], never)).toBe(2);
    expect(findLastUser([user], never)).toBe(0);
    expect(findLastUser([answer], never)).toBe(-1);
    expect(findLastUser([], never)).toBe(-1);
  });

  it("the frame of an earlier fold is not the user's words", () => {
    const frame = message("user", text("what was folded"));
    expect(findLastUser([user, answer, frame], (one) => one === frame)).toBe(0);
    expect(findLastUser([frame], (one) => one === frame)).toBe(-1);
  });

  it("the running turn starts at its first assistant message, with the results that came", () => {
    const calling = message("assistant", call("a"));
    const found = message("tool", result("a"));
    expect(findRunning([user, calling, found])).toBe(1);
    expect(findRunning([user, answer, calling, found, found])).toBe(1);
    expect(findRunning([user, calling])).toBe(1);
    expect(findRunning([calling, found])).toBe(0);
  });

  it("no turn runs when the user spoke last, or when results stand alone", () => {
    expect(findRunning([user, answer, user])).toBe(3);
    expect(findRunning([user, message("tool", result("a"))])).toBe(2);
    expect(findRunning([message("tool", result("a"))])).toBe(1);
    expect(findRunning([])).toBe(0);
  });
});
