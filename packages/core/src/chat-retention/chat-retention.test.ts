import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import { afterChatFailure, breakerState, closedBreaker } from "./chat-breaker.ts";
import { chatCuts } from "./chat-cuts.ts";
import { chunkHistory } from "./chunk-history.ts";
import { forecastTurns } from "./forecast-turns.ts";
import { planChatFold } from "./plan-chat-fold.ts";

const text = (role: "user" | "assistant", words = "hello"): Message => ({
  role,
  parts: [{ type: "text", text: words }],
});
const talk = (count: number) => Array.from({ length: count }, (_, i) => text(i % 2 === 0 ? "user" : "assistant"));
const call = (...ids: string[]): Message => ({
  role: "assistant",
  parts: ids.map((id) => ({ type: "tool-call", id, name: "look", input: "{}" })),
});
const result = (callId: string): Message => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, content: [{ type: "text", text: "found" }] }],
});
const plan = (weights: readonly number[], options: Partial<Parameters<typeof planChatFold>[0]> = {}) =>
  planChatFold({
    messages: talk(weights.length),
    weights,
    retentionTokens: 1000,
    maxSummaryTokens: 500,
    room: 100_000,
    ...options,
  });

describe("planChatFold", () => {
  it("R1 FR-1.3.4 retains 3 messages when 3 are 900 and 4 are 1100 tokens", () => {
    const { cut } = plan([5000, 200, 300, 300, 300]);
    expect(cut).toEqual({ messages: 2, foldedTokens: 5200, keptTokens: 900 });
  });

  it("R1 FR-1.3.4 retains a message that fits the retention exactly", () => {
    expect(plan([5000, 400, 600]).cut.messages).toBe(1);
  });

  it("R1 FR-1.3.4 retains whole messages only: one that is larger than the retention is folded", () => {
    expect(plan([100, 5000]).cut).toEqual({ messages: 2, foldedTokens: 5100, keptTokens: 0 });
  });

  it("R1 FR-2.2.1 folds everything with a retention of 0", () => {
    expect(plan([10, 10, 10], { retentionTokens: 0 }).cut.messages).toBe(3);
  });

  it("R1 FR-2.2.2 moves a fold line into a tool exchange to its nearest end", () => {
    const messages = [text("user"), call("a", "b"), result("a"), result("b"), text("assistant"), text("user")];
    const weights = [10, 10, 10, 10, 10, 10];
    expect(chatCuts(messages, weights).map((cut) => cut.messages)).toEqual([0, 1, 4, 5, 6]);
    expect(plan(weights, { messages, foldMessages: 3 }).cut.messages).toBe(4);
    expect(plan(weights, { messages, foldMessages: 2 }).cut.messages).toBe(1);
  });

  it("does not cut after a call whose result may still come", () => {
    expect(chatCuts([text("user"), call("a")], [10, 10]).map((cut) => cut.messages)).toEqual([0, 1]);
  });

  it("R1 FR-5.3.1 first reduces the retention, then holds the summary shorter, then says the context is limited", () => {
    const weights = [4000, 300, 300, 300];
    expect(plan(weights, { room: 1400 })).toMatchObject({ cut: { messages: 1 }, reduced: false, harder: false });
    expect(plan(weights, { room: 1200 })).toMatchObject({ cut: { messages: 2 }, reduced: true, harder: false });
    expect(plan(weights, { room: 300 })).toMatchObject({
      cut: { messages: 4 },
      reduced: true,
      harder: true,
      summaryTokens: 300,
      limited: false,
    });
    expect(plan(weights, { room: 20 })).toMatchObject({ limited: true, summaryTokens: 64 });
  });

  it("never keeps more when retention or room shrink, and always ends at a legal cut", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(weights, fc.nat(4000), fc.nat(8000), fc.nat(500), (w, retentionTokens, room, less) => {
        const large = plan(w, { retentionTokens, room });
        const small = plan(w, { retentionTokens: Math.max(0, retentionTokens - less), room });
        const tight = plan(w, { retentionTokens, room: Math.max(0, room - less) });
        expect(small.cut.keptTokens).toBeLessThanOrEqual(large.cut.keptTokens);
        expect(tight.cut.keptTokens).toBeLessThanOrEqual(large.cut.keptTokens);
        expect(large.cuts).toContainEqual(large.cut);
        expect(large.cut.keptTokens).toBeLessThanOrEqual(retentionTokens);
        if (!large.limited) expect(large.cut.keptTokens + large.summaryTokens).toBeLessThanOrEqual(room);
      }),
    );
  });
});

describe("chunkHistory", () => {
  it("keeps order, loses nothing and stays within the limit wherever a message does", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 1, max: 200 }), (w, limit) => {
        const messages = talk(w.length);
        const chunks = chunkHistory(messages, w, limit);
        expect(chunks.flat()).toEqual(messages);
        let at = 0;
        for (const chunk of chunks) {
          const tokens = w.slice(at, at + chunk.length).reduce((sum, weight) => sum + weight, 0);
          at += chunk.length;
          expect(chunk.length === 1 || tokens <= limit).toBe(true);
        }
      }),
    );
  });
});

describe("chat breaker", () => {
  it("R1 FR-5.1.1 backs off exponentially and opens after three failures", () => {
    expect(breakerState(closedBreaker, 0)).toBe("closed");
    const first = afterChatFailure(closedBreaker, 1000);
    const second = afterChatFailure(first, 1000);
    const third = afterChatFailure(second, 1000);
    expect(second.retryAt - 1000).toBe(2 * (first.retryAt - 1000));
    expect([first, second, third].map((state) => breakerState(state, 1001))).toEqual(["waiting", "waiting", "open"]);
    expect(breakerState(third, third.retryAt)).toBe("closed");
  });
});

describe("forecastTurns", () => {
  it("divides the room by the average of the last turns and ignores unanswered words", () => {
    const weights = [10, 90, 20, 80, 999];
    expect(forecastTurns(talk(5), weights, 1000)).toBe(10);
    expect(forecastTurns(talk(2), [10, 90], 1000)).toBeUndefined();
  });
});
