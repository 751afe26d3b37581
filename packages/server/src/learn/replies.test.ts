import { describe, expect, it } from "vitest";
import { createReplies } from "./replies.ts";

const key = { tenant: "t", upstream: "u", model: "m" };

describe("how long the answers of a model are", () => {
  it("is known after a few of them", () => {
    const replies = createReplies();
    const longest = [200, 900, 30, 400].map((tokens) => {
      replies.add(key, tokens);
      return replies.longestOf(key);
    });
    expect(longest).toEqual([undefined, undefined, 900, 900]);
  });

  it("is what the newest hundred say", () => {
    const replies = createReplies();
    replies.add(key, 5_000);
    for (let answer = 1; answer < 100; answer++) replies.add(key, 10);
    expect(replies.longestOf(key)).toBe(5_000);
    replies.add(key, 10);
    expect(replies.longestOf(key)).toBe(10);
  });

  it("is not known from upstreams that say nothing of it", () => {
    const replies = createReplies();
    for (let answer = 0; answer < 9; answer++) replies.add(key, 0);
    expect(replies.longestOf(key)).toBeUndefined();
  });

  it.each(["tenant", "upstream", "model"] as const)("is not told of another %s", (part) => {
    const replies = createReplies();
    for (let answer = 0; answer < 9; answer++) replies.add(key, 100);
    expect(replies.longestOf(key)).toBe(100);
    expect(replies.longestOf({ ...key, [part]: "other" })).toBeUndefined();
  });
});
