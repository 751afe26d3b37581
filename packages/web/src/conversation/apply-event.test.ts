import { expect, test } from "vitest";
import type { Message, SessionEvent, TurnEvent } from "../api/types.gen.ts";
import { applyEvent } from "./apply-event.ts";
import { type ConversationState, emptyConversation } from "./conversation-state.ts";

const message = (sequence: number, change: Partial<Message> = {}): Message => ({
  id: `m${sequence}`,
  sessionId: "s",
  sequence,
  role: "user",
  parts: [],
  text: `words ${sequence}`,
  createdAt: "2026-01-01T00:00:00.000Z",
  status: "complete",
  visibility: "visible",
  model: null,
  inputTokens: null,
  outputTokens: null,
  summaryId: null,
  inContext: true,
  recalled: null,
  error: null,
  ...change,
});
const after = (events: readonly (TurnEvent | SessionEvent)[], from: ConversationState = emptyConversation) =>
  events.reduce(applyEvent, from);
const head = { sessionId: "s", foldId: "c1", trigger: "auto" } as const;
const start = { type: "fold.start", ...head, messages: 4, tokens: 900, foldLine: "m3" } as const;
const done = {
  type: "fold.done",
  ...head,
  notify: true,
  result: {
    summaryId: "x",
    preview: "",
    messagesSummarized: 4,
    tokensBefore: 900,
    tokensAfter: 90,
    reductionTokens: 810,
    reductionPercent: 90,
    durationMs: 1,
    costUsd: 0,
    fellBack: false,
    warnings: [],
  },
} as const;

test("messages stand in the order of their sequence, however the news arrives, and only once", () => {
  const { messages, total } = after(
    [1, 4, 2, 4, 3].map((sequence) => ({ type: "message.added", message: message(sequence) })),
  );
  expect(messages.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4]);
  expect(total).toBe(4);
});

test("a reply grows with its words and settles with its end, even if late news says it still streams", () => {
  const streaming = message(2, { role: "assistant", status: "streaming" });
  const state = after([
    { type: "message.added", message: streaming },
    { type: "reply.start", messageId: "m2", model: "demo" },
    { type: "reply.text", messageId: "m2", text: "Hel" },
    { type: "reply.text", messageId: "m2", text: "lo" },
  ]);
  expect(state.live?.text).toBe("Hello");
  const ended = after(
    [
      { type: "reply.end", message: message(2, { role: "assistant", text: "Hello" }) },
      { type: "message.added", message: streaming },
    ],
    state,
  );
  expect(ended.live).toBeUndefined();
  expect(ended.messages.map(({ status, text }) => [status, text])).toEqual([["complete", "Hello"]]);
});

test("one marker follows a fold, and news that comes late by another way does not bring it back", () => {
  const running = after([
    start,
    start,
    { type: "fold.progress", ...head, progress: { phase: "summarizing", share: 0.5, attempt: 1 } },
  ]);
  expect(running.marker).toMatchObject({ status: "running", foldLine: "m3", progress: { share: 0.5 } });
  const ended = after([done, start], running);
  expect(ended.marker).toBeUndefined();
});

test("a failure under an id of its own turns the running marker", () => {
  const failed = {
    type: "fold.failed",
    ...head,
    foldId: "c2",
    problem: { type: "about:blank", title: "", status: 502, detail: "no", code: "X", retryable: true },
    sentInstead: "full-history",
    retryAt: null,
    breakerOpen: false,
  } as const;
  const state = after([start, failed, start]);
  expect(state.marker).toMatchObject({
    foldId: "c1",
    status: "failed",
    failure: { sentInstead: "full-history" },
  });
});

test("a fold that was put off is marked, in whichever order the news comes; one that had nothing to do is not", () => {
  const skipped = { type: "fold.skipped", ...head, message: "Later." } as const;
  expect(after([{ ...skipped, reason: "nothing-to-fold" }]).marker).toBeUndefined();
  const session = { id: "s" } as Extract<TurnEvent, { type: "turn.start" }>["session"];
  const begun = { type: "turn.start", turnId: "t", session, userMessage: message(1) } as const;
  const later = { ...skipped, reason: "backoff" } as const;
  for (const events of [
    [begun, later, later],
    [later, begun, later],
  ]) {
    expect(after(events).marker).toMatchObject({ status: "skipped", skipped: "Later.", foldLine: "" });
  }
});

test("what is hidden leaves the list, and comes back to its place", () => {
  const state = after([
    { type: "message.added", message: message(1) },
    { type: "message.added", message: message(2) },
    { type: "message.updated", message: message(1, { visibility: "hidden" }) },
  ]);
  expect(state.messages.map(({ id }) => id)).toEqual(["m2"]);
  const back = { type: "message.updated", message: message(1) } as const;
  expect(applyEvent(state, back).messages.map(({ id }) => id)).toEqual(["m1", "m2"]);
  // Not when older ones are not loaded yet: it is loaded with them.
  expect(applyEvent({ ...state, before: "2" }, back).messages.map(({ id }) => id)).toEqual(["m2"]);
});
