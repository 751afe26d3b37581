import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fold } from "../fold/fold.ts";
import type { Message } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { repeatedResults } from "./repeated-results.ts";

const lineOf = (number: number) => `const value${number} = compute(${number * 7}, "entry ${number}");`;
const file = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => lineOf(from + at));
const listing = (lines: readonly string[], first = 1) => lines.map((line, at) => `${first + at}\t${line}`).join("\n");

let calls = 0;
function exchange(name: string, input: unknown, output: string | Part): Message[] {
  const id = `call${calls++}`;
  const content = typeof output === "string" ? [{ type: "text" as const, text: output }] : [];
  const result = typeof output === "string" ? { type: "tool-result" as const, callId: id, content } : output;
  return [
    { role: "assistant", parts: [{ type: "tool-call", id, name, input: JSON.stringify(input) }] },
    { role: "tool", parts: [{ ...result, callId: id } as Part] },
  ];
}
const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const read = (lines: readonly string[], first = 1, path = "src/a.ts") =>
  exchange("read", { path, offset: first, count: lines.length }, listing(lines, first));

/** Which of the messages got a note instead of their result. */
async function leftOut(...exchanges: Message[][]): Promise<number[]> {
  const messages = [user("Mend the build."), ...exchanges.flat(), user("Go on.")];
  const rungs = [{ name: "repeated", rule: "said again later", strategy: repeatedResults() }];
  const { plan } = await fold(messages, {
    format: "midfold",
    counter: getCounter("gpt-4o"),
    budget: 1_000_000,
    rungs,
    force: true,
    target: 0.001,
  });
  return plan.cuts.map(({ message }) => message);
}

describe("an older output is left out", () => {
  it("where the same file was read again, though an edit moved its lines", async () => {
    const before = file(0, 60);
    const after = ["// new", "// lines", ...before.slice(0, 30), "changed();", ...before.slice(31)];
    expect(await leftOut(read(before), exchange("edit", { path: "src/a.ts" }, "done"), read(after))).toEqual([2]);
  });

  it("where it was read in pieces and then whole, or whole and then in pieces", async () => {
    expect(await leftOut(read(file(0, 40)), read(file(40, 80), 41), read(file(0, 80)))).toEqual([2, 4]);
    expect(await leftOut(read(file(0, 80)), read(file(0, 40)), read(file(40, 80), 41))).toEqual([2]);
  });

  it("where a call wrote the file anew with nearly the same text", async () => {
    const written = exchange("write", { path: "src/a.ts", text: file(0, 60).join("\n") }, "written");
    expect(await leftOut(read(file(0, 60)), written)).toEqual([2]);
  });

  it("where the very same call showed half of it again", async () => {
    const status = (lines: readonly string[]) => exchange("shell", { command: "git status" }, lines.join("\n"));
    expect(await leftOut(status(file(0, 60)), status([...file(30, 60), ...file(100, 130)]))).toEqual([2]);
  });
});

describe("an older output stays", () => {
  it("where the same call showed the next page", async () => {
    const page = (lines: readonly string[]) => exchange("next_page", {}, lines.join("\n"));
    expect(await leftOut(page(file(0, 60)), page(file(60, 120)))).toEqual([]);
  });

  it("where a newer one has only part of it", async () => {
    expect(await leftOut(read(file(0, 60)), read(file(0, 50)))).toEqual([]);
  });

  it("where it is small, or the newest", async () => {
    expect(await leftOut(read(file(0, 3)), read(file(0, 3)))).toEqual([]);
    expect(await leftOut(read(file(0, 60)))).toEqual([]);
  });

  it("where it has a picture", async () => {
    const text = listing(file(0, 60));
    const shown = (): Part => ({
      type: "tool-result",
      callId: "",
      content: [{ type: "text", text }, { type: "image", mediaType: "image/png", data: "AAAA" } as never],
    });
    expect(await leftOut(exchange("look", { at: 1 }, shown()), read(file(0, 60)))).toEqual([]);
  });
});

it("nothing that stands nowhere later is more than half of what is left out", async () => {
  const piece = fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 25, max: 80 }), fc.constantFrom("x", "y"));
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 2, maxLength: 8 }), async (pieces) => {
      const outputs = pieces.map(([from, count]) => file(from, from + count));
      const gone = await leftOut(
        ...outputs.map((lines, at) => exchange("show", { name: pieces[at]![2] }, lines.join("\n"))),
      );
      for (const message of gone) {
        const at = message / 2 - 1;
        const later = new Set(outputs.slice(at + 1).flat());
        const length = (lines: readonly string[]) => lines.join("").length;
        const lost = outputs[at]!.filter((line) => !later.has(line));
        expect(length(lost)).toBeLessThanOrEqual(length(outputs[at]!) / 2);
      }
    }),
    { numRuns: 60 },
  );
});
