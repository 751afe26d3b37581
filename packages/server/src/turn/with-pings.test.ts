import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { withPings } from "./relay.ts";

async function* slowly(gate: Promise<void>) {
  yield "a";
  await gate;
  yield "b";
}

describe("withPings", () => {
  it("B7.77 fills silence with pings and loses no piece", async () => {
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    for await (const piece of withPings(slowly(gate.promise), "ping", 5)) {
      seen.push(String(piece));
      if (seen.filter((entry) => entry === "ping").length === 3) gate.resolve();
    }
    expect(seen.filter((entry) => entry !== "ping")).toEqual(["a", "b"]);
    expect(seen.indexOf("ping")).toBe(1);
  });

  it("ends the source when the reader stops", async () => {
    let closed = false;
    async function* source() {
      try {
        for (;;) {
          yield "x";
          await sleep(0);
        }
      } finally {
        closed = true;
      }
    }
    for await (const _ of withPings(source(), "ping", 1000)) break;
    expect(closed).toBe(true);
  });
});
