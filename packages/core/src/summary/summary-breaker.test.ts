import { describe, expect, it } from "vitest";
import { afterChatFailure, breakerState, closedBreaker } from "./summary-breaker.ts";

describe("chat breaker", () => {
  it("backs off exponentially and opens after three failures", () => {
    expect(breakerState(closedBreaker, 0)).toBe("closed");
    const first = afterChatFailure(closedBreaker, 1000);
    const second = afterChatFailure(first, 1000);
    const third = afterChatFailure(second, 1000);
    expect(second.retryAt - 1000).toBe(2 * (first.retryAt - 1000));
    expect([first, second, third].map((state) => breakerState(state, 1001))).toEqual(["waiting", "waiting", "open"]);
    expect(breakerState(third, third.retryAt)).toBe("closed");
  });
});
