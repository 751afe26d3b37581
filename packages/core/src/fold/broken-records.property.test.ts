import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMidfoldError } from "../errors/midfold-error.ts";
import type { FoldRecord } from "../plan/fold-record.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import type { FoldSyncOptions } from "./fold-sync.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

const counter = getCounter("gpt-4o");
const settings = { counter, budget: 1_500 } as const satisfies FoldSyncOptions;
const runs = Number(process.env.MIDFOLD_PROPERTY_RUNS ?? 300);

const exchange = (at: number) => [
  { role: "user", content: `Please look at part ${at}. ${"It has some rows that are wrong. ".repeat(4)}` },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: `c${at}`, type: "function", function: { name: "read", arguments: `{"file":"${at}.txt"}` } }],
  },
  { role: "tool", tool_call_id: `c${at}`, content: `row ${at}\n`.repeat(60 * (1 + (at % 4))) },
  { role: "assistant", content: `Part ${at} has ${at + 100} rows. ${"They are fine. ".repeat(8)}` },
];
/** New objects every time: what is remembered of messages that were read before hides a change of their reading. */
const talk = () => [
  { role: "system", content: "You help." },
  ...Array.from({ length: 12 }, (_, at) => exchange(at)).flat(),
];
const further = { role: "user", content: "And now?" };

const presets = ["agent", "chat", "compact", "sandwich", "proxy"] as const;
const records = presets.map((preset) => ({ preset, record: foldSync(talk(), { ...settings, preset }).state! }));

const anything = fc.oneof(
  fc.constantFrom(null, undefined, -1, 0, 0.5, 3, 1e9, Number.NaN, Number.POSITIVE_INFINITY, "", "user", true, [], {}),
  fc.constantFrom([null], [{}], [[0, 1]], { do: "drop" }, { type: "text" }, { do: "insert", before: 1, role: "user" }),
  fc.anything({ maxDepth: 2 }),
);

/** The record with one value in it, wherever it stands, replaced or taken out. */
function mutate(record: FoldRecord, where: readonly number[], value: unknown, remove: boolean): unknown {
  const copy = structuredClone(record) as unknown as Record<string, unknown>;
  let at: Record<string, unknown> = copy;
  for (const step of where) {
    const keys = Object.keys(at);
    const key = keys[step % keys.length];
    if (key === undefined) break;
    const next = at[key];
    if (typeof next === "object" && next !== null && step % 3 !== 0) {
      at = next as Record<string, unknown>;
      continue;
    }
    if (Array.isArray(at) && remove) at.splice(Number(key), 1);
    else if (remove) delete at[key];
    else at[key] = value;
    break;
  }
  return copy;
}

const broken = fc
  .record({
    base: fc.constantFrom(...records),
    changes: fc.array(
      fc.record({ where: fc.array(fc.nat(60), { minLength: 1, maxLength: 7 }), value: anything, remove: fc.boolean() }),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ base, changes }) => ({
    preset: base.preset,
    state: changes.reduce<FoldRecord>(
      (record, { where, value, remove }) => mutate(record, where, value, remove) as FoldRecord,
      base.record,
    ),
  }));

/** Every message is a text, and none went out twice. */
function sound(messages: readonly unknown[], given: readonly unknown[]): void {
  const seen = new Set<unknown>();
  for (const message of messages) {
    expect(seen.has(message)).toBe(false);
    seen.add(message);
    const { role, content } = message as { role: string; content: unknown };
    expect(["system", "user", "assistant", "tool"]).toContain(role);
    if (content !== null) expect(typeof content).toBe("string");
  }
  expect(messages.at(-1)).toBe(given.at(-1));
  expect(counter.countMessages(messages as never)).toBeLessThanOrEqual(settings.budget);
}

describe("a record that somebody broke", () => {
  it("is not used, or refused with words, and nothing is lost", () => {
    fc.assert(
      fc.property(broken, fc.boolean(), ({ preset, state }, grown) => {
        const messages = grown ? [...talk(), further] : talk();
        for (const force of [false, true]) {
          try {
            const result = foldSync(messages, { ...settings, preset, state, force });
            sound(result.messages, messages);
            planOnly(messages, { ...settings, preset, state, force });
          } catch (error) {
            if (!isMidfoldError(error, "VALIDATION_ERROR")) throw error;
            expect(error.message).toMatch(/^state must be/);
          }
        }
      }),
      { numRuns: runs },
    );
  });

  it("is told with what is wrong in it, and the fold is made anew", async () => {
    const { record } = records[0]!;
    const messages = [...talk(), further];
    const anew = foldSync(messages, settings);
    const state = { ...record, edits: [...record.edits, null] } as unknown as FoldRecord;
    for (const result of [foldSync(messages, { ...settings, state }), await fold(messages, { ...settings, state })]) {
      expect(result.outcome).toBe("folded");
      expect(result.warnings).toContainEqual(
        expect.objectContaining({
          code: "record-broken",
          message: `The record of an earlier fold is not used: its edit ${record.edits.length} is null.`,
        }),
      );
      expect(result.messages.length).toBeGreaterThan(0);
      expect(result.state?.covers).toBe(anew.state?.covers);
    }
    const find = () => ({ ...record, texts: [5] }) as unknown as FoldRecord;
    const cached = await fold(messages, { ...settings, cache: { find, save: () => {} } });
    expect(cached.warnings.map(({ code }) => code)).toContain("record-broken");
  });

  it.each<[string, (record: FoldRecord) => unknown]>([
    ["covers", (record) => ({ ...record, covers: "12" })],
    ["tokens", (record) => ({ ...record, tokens: null })],
    ["texts", (record) => ({ ...record, texts: [null] })],
    ["kept", (record) => ({ ...record, kept: [3] })],
    [
      "an edit behind the messages it covers",
      (record) => ({ ...record, edits: [{ do: "drop", first: 2, last: 900 }] }),
    ],
    [
      "edits out of order",
      (record) => ({
        ...record,
        edits: [
          { do: "drop", first: 4, last: 6 },
          { do: "drop", first: 1, last: 2 },
        ],
      }),
    ],
    ["a part that the message does not have", (record) => ({ ...record, edits: [{ do: "parts", at: 2, parts: [7] }] })],
    ["an edit of no kind", (record) => ({ ...record, edits: [{ do: "swap", at: 2 }] })],
    [
      "a role that does not exist",
      (record) => ({ ...record, edits: [{ do: "insert", before: 1, role: "bot", parts: [] }] }),
    ],
    [
      "a text that is none",
      (record) => ({
        ...record,
        edits: [{ do: "insert", before: 1, role: "user", parts: [{ type: "text", text: 5 }] }],
      }),
    ],
  ])("%s: the warning names it", (_, change) => {
    const state = change(records[0]!.record) as FoldRecord;
    const { warnings } = foldSync([...talk(), further], { ...settings, state });
    expect(warnings.filter(({ code }) => code === "record-broken")).toHaveLength(1);
  });
});
