import { describe, expect, it } from "vitest";
import { parseFrame } from "../digest/frame.ts";
import type { FoldCache, FoldRecord } from "../plan/fold-record.ts";
import type { Plan } from "../plan/plan.ts";
import { memoryCache } from "./memory-cache.ts";
import { previousOf, recordOf, withText } from "./record-frames.ts";

const plan = {} as Plan;
const record = (prefix: string, covers: number): FoldRecord => ({
  ...recordOf({ text: "what was said", covers, tokens: { before: 100, after: 10 } }),
  id: prefix,
  prefix,
});

/** Of what is found for each of these conversations of one message, the id. */
const idsFor = (cache: FoldCache, ...prefixes: string[]) =>
  prefixes.map((prefix) => (cache.find([prefix]) as FoldRecord | undefined)?.id);

describe("memoryCache", () => {
  it("finds the record that covers the most of a conversation", () => {
    const cache = memoryCache();
    expect(cache.find(["a", "b", "c"])).toBeUndefined();
    const [short, long] = [record("a", 1), record("c", 3)];
    cache.save(short, plan);
    cache.save(long, plan);
    expect(cache.find(["a", "b", "c", "d"])).toBe(long);
    expect(cache.find(["a", "b"])).toBe(short);
    expect(cache.find(["x", "b"])).toBeUndefined();
    expect(cache.find([])).toBeUndefined();
  });

  it("a prefix at another place is another conversation", () => {
    const cache = memoryCache();
    cache.save(record("c", 3), plan);
    expect(cache.find(["c"])).toBeUndefined();
    expect(cache.find(["a", "b", "x", "c"])).toBeUndefined();
  });

  it("a newer record of the same prefix takes the place of the older one", () => {
    const cache = memoryCache({ maxRecords: 2 });
    const newer = record("a", 1);
    cache.save(record("a", 1), plan);
    cache.save(record("b", 1), plan);
    cache.save(newer, plan);
    expect(cache.find(["a"])).toBe(newer);
    expect(cache.find(["b"])).toBeDefined();
  });

  it("keeps so many; those not met for longest go first", () => {
    const cache = memoryCache({ maxRecords: 2 });
    cache.save(record("a", 1), plan);
    cache.save(record("b", 1), plan);
    expect(idsFor(cache, "a")).toEqual(["a"]);
    cache.save(record("c", 1), plan);
    expect(idsFor(cache, "a", "b", "c")).toEqual(["a", undefined, "c"]);
    // Saving counts as meeting.
    cache.save(record("a", 1), plan);
    cache.save(record("d", 1), plan);
    expect(idsFor(cache, "a", "c", "d")).toEqual(["a", undefined, "d"]);
  });
});

describe("the summary of a record", () => {
  const made = recordOf({ text: "They chose Rust.", covers: 4, tokens: { before: 900, after: 40 } });

  it("a summary that no fold wrote becomes a record that is carried on and never met", () => {
    expect(recordOf({ text: "They chose Rust.", covers: 4, tokens: { before: 900, after: 40 } })).toEqual(made);
    expect(recordOf({ text: "They chose Rust.", covers: 4, tokens: { before: 900, after: 40 } })).toMatchObject({
      id: "",
      prefix: "",
      covers: 4,
      preset: "chat",
      texts: ["They chose Rust."],
      tokens: { before: 900, after: 40 },
      by: "summary",
      edits: [
        { do: "insert", before: 0, role: "system", parts: [{ type: "text" }] },
        { do: "drop", first: 0, last: 3 },
      ],
    });
    expect(previousOf(made)).toMatchObject({ covers: 4, role: "system" });
    expect(parseFrame(previousOf(made)!.text)).toMatchObject({ kind: "summary", text: "They chose Rust.", covers: 4 });
  });

  it("is said by the user where a tool said it, and is none where nothing stands for the messages", () => {
    const [insert, drop] = made.edits as [
      Extract<FoldRecord["edits"][number], { do: "insert" }>,
      FoldRecord["edits"][number],
    ];
    expect(previousOf({ covers: 4, edits: [drop, { ...insert, role: "tool" }] })?.role).toBe("user");
    expect(previousOf({ covers: 4, edits: [{ ...insert, role: "assistant" }] })?.role).toBe("assistant");
    expect(previousOf({ covers: 4, edits: [drop] })).toBeUndefined();
    const note: FoldRecord["edits"][number] = {
      ...insert,
      parts: [{ type: "text", text: "[Earlier messages were left out.]" }],
    };
    expect(previousOf({ covers: 4, edits: [note] })).toBeUndefined();
    const result: FoldRecord["edits"][number] = {
      ...insert,
      parts: [{ type: "tool-result", callId: "a", content: [] }],
    };
    expect(previousOf({ covers: 4, edits: [result, { ...insert, parts: [] }] })).toBeUndefined();
    expect(previousOf({ covers: 4, edits: [note, result, insert] })?.text).toBe(previousOf(made)?.text);
  });

  it("in a person's words it is the same fold with another text, and no model wrote it", () => {
    const changed = withText({ ...made, by: "digest", model: "gpt-4o" }, "They chose Zig.");
    expect(parseFrame(previousOf(changed)!.text)).toMatchObject({
      kind: "summary",
      text: "They chose Zig.",
      covers: 4,
    });
    expect(changed).toMatchObject({ texts: ["They chose Zig."], by: "summary", covers: 4, tokens: made.tokens });
    expect(changed).not.toHaveProperty("model");
    expect(changed.edits[0]).toMatchObject({ do: "insert", before: 0, role: "system", parts: [{ type: "text" }] });
    expect(changed.edits[1]).toEqual(made.edits[1]);
    expect(made.texts).toEqual(["They chose Rust."]);
  });

  it("a record without a summary stays as it is", () => {
    const plain = { ...made, edits: made.edits.slice(1) };
    expect(withText(plain, "other words")).toBe(plain);
  });
});
