import { describe, expect, it } from "vitest";
import type { HttpReply } from "../http/http-message.ts";
import { createRepeats } from "./repeat-once.ts";

const read = async ({ body }: HttpReply) => {
  let text = "";
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return String(body);
  for await (const piece of body) text += typeof piece === "string" ? piece : Buffer.from(piece).toString();
  return text;
};
const options = { keepMs: 1000, maxBytes: 1000, now: () => 0 };
const body = Buffer.from("{}");

describe("createRepeats", () => {
  it("runs once for twenty at a time, and once for those who come later", async () => {
    const repeats = createRepeats(options);
    let runs = 0;
    async function* stream() {
      for (const piece of ["a", "b", "c"]) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        yield piece;
      }
    }
    const once = () =>
      repeats.once({
        key: "k",
        body,
        endedWell: () => true,
        work: async () => {
          runs++;
          return { status: 200, headers: {}, body: stream() };
        },
      });
    const replies = await Promise.all(Array.from({ length: 20 }, once));
    expect(await Promise.all(replies.map(read))).toEqual(Array.from({ length: 20 }, () => "abc"));
    expect(await read(await once())).toBe("abc");
    expect(runs).toBe(1);
  });

  it("refuses another body under the same key", async () => {
    const repeats = createRepeats(options);
    const work = async () => ({ status: 200, headers: {}, body: "x" });
    const endedWell = () => true;
    await repeats.once({ key: "k", body, work, endedWell });
    await expect(repeats.once({ key: "k", body: Buffer.from("{1}"), work, endedWell })).rejects.toMatchObject({
      status: 409,
    });
  });

  it("keeps neither failures nor more than it may, nor for longer", async () => {
    let now = 0;
    let runs = 0;
    const repeats = createRepeats({ ...options, now: () => now });
    const run = (status: number, text = "x", well = true) =>
      repeats.once({
        key: "k",
        body,
        endedWell: () => well,
        work: async () => {
          runs++;
          return { status, headers: {}, body: text };
        },
      });
    await run(500);
    await run(500);
    expect(runs).toBe(2);
    await read(await run(200, "y".repeat(2000)));
    // Its answer is gone, but it was given and billed: it is not asked for again under the same key.
    await expect(run(200)).rejects.toMatchObject({ status: 409 });
    expect(runs).toBe(3);
    now = 2000;
    await run(200);
    expect(runs).toBe(4);
    now = 4000;
    await expect(run(200, "cut", false).then(read)).rejects.toThrow(/broke off/);
    await run(200);
    expect(runs).toBe(6);
  });
});
