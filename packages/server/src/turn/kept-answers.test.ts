import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@midfold/store";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createKeptAnswers, type NewAnswer } from "./kept-answers.ts";

const day = 24 * 3_600_000;
let folder: string;
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "midfold-answers-"));
  store = await openStore({ url: `sqlite:${join(folder, "test.db")}` });
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

/** As one replica has them; `to` stands in for the store. */
const answersOf = (to: Store = store, now: () => number = Date.now, maxBytes = 1e6) =>
  createKeptAnswers({ store: to, keepMs: 30 * day, maxBytes, now, onStoreError: () => undefined });
const answer = (id: string, items: readonly unknown[], previous?: NewAnswer["previous"]): NewAnswer => ({
  id,
  previous,
  conversation: "talk",
  items,
  bytes: JSON.stringify(items).length,
});
/** The store, with writing of answers left to the test. */
function held(onPut: (write: () => Promise<void>) => Promise<void>): Store {
  const of: Store["of"] = (owner) => {
    const real = store.of(owner);
    return { ...real, folds: { ...real.folds, putSoon: (fold) => onPut(() => real.folds.putSoon(fold)) } };
  };
  return { ...store, of };
}
const storedOf = async (id: string) =>
  (await store.of("anna").folds.find([`answer:${id}`]))?.record as { items: unknown[]; shared?: number } | undefined;

describe("answers to go on from", () => {
  it("may have more items than fit on the stack", async () => {
    const items = new Array<unknown>(200_000).fill(0);
    const answers = answersOf();
    await answers.put("anna", answer("resp_1", items));
    await answers.idle();
    expect(await answersOf().get("anna", "resp_1")).toHaveLength(items.length);
  });

  it("are found at once where they were given, stored or not, and nobody waits for the store", async () => {
    let write = async () => {};
    const done = Promise.withResolvers<void>();
    const answers = answersOf(
      held((real) => {
        write = real;
        return done.promise;
      }),
      Date.now,
      // So little that memory would drop it at once.
      1,
    );
    expect(answers.put("anna", answer("resp_1", [{ role: "user", content: "hello" }]))).toBeUndefined();
    expect(await answers.get("anna", "resp_1")).toEqual([{ role: "user", content: "hello" }]);
    await write();
    done.resolve();
    await answers.idle();
    expect(await answersOf().get("anna", "resp_1")).toEqual([{ role: "user", content: "hello" }]);
  });

  it("are waited for on another replica while they are being stored", async () => {
    let write = async () => {};
    const first = answersOf(
      held(async (real) => {
        write = real;
      }),
    );
    first.put("anna", answer("resp_1", ["hello"]));
    let looked = 0;
    const other: Store = {
      ...store,
      of: (owner) => {
        const real = store.of(owner);
        const find: typeof real.folds.find = async (prefixes) => {
          // Stored only after it was looked for the first time.
          if (looked++ === 1) await write();
          return real.folds.find(prefixes);
        };
        return { ...real, folds: { ...real.folds, find } };
      },
    };
    expect(await answersOf(other).get("anna", "resp_1")).toEqual(["hello"]);
    expect(looked).toBe(2);
    expect(await answersOf().get("anna", "resp_2")).toBeUndefined();
  });

  it("make the answer wait once too much is unstored", async () => {
    const done = Promise.withResolvers<void>();
    const answers = answersOf(held(() => done.promise));
    expect(answers.put("anna", { ...answer("resp_1", ["a"]), bytes: 15e6 })).toBeUndefined();
    const waits = answers.put("anna", { ...answer("resp_2", ["b"]), bytes: 15e6 });
    expect(waits).toBeInstanceOf(Promise);
    done.resolve();
    await waits;
  });

  it("are stored as what they add where a client sends all of the conversation each time", async () => {
    const answers = answersOf();
    const [one, two, three, other] = ["one", "two", "three", "other"].map((content) => ({ role: "user", content }));
    answers.put("anna", answer("resp_1", [one, two, { said: 1 }]));
    answers.put("anna", answer("resp_2", [one, two, three, { said: 2 }]));
    answers.put("anna", answer("resp_3", [one, two, three, other, { said: 3 }]));
    // Begins otherwise, and belongs to somebody else: stored whole.
    answers.put("anna", answer("resp_4", [other, two, three]));
    answers.put("bert", answer("resp_5", [one, two, three]));
    await answers.idle();
    expect(await storedOf("resp_2")).toEqual({ previous: "resp_1", shared: 2, items: [three, { said: 2 }] });
    expect(await storedOf("resp_3")).toEqual({ previous: "resp_2", shared: 3, items: [other, { said: 3 }] });
    expect((await storedOf("resp_4"))?.items).toEqual([other, two, three]);
    const restarted = answersOf();
    expect(await restarted.get("anna", "resp_3")).toEqual([one, two, three, other, { said: 3 }]);
    expect(await restarted.get("anna", "resp_2")).toEqual([one, two, three, { said: 2 }]);
    expect(await restarted.get("anna", "resp_4")).toEqual([other, two, three]);
    expect(await restarted.get("bert", "resp_5")).toEqual([one, two, three]);
    expect(await restarted.get("bert", "resp_3")).toBeUndefined();
  });

  it("are stored as what they add although every message is a new object, and are in memory once", async () => {
    const answers = answersOf();
    const sent = (...said: string[]) => said.map((content) => ({ role: "user", content: [{ text: content }] }));
    answers.put("anna", answer("resp_1", sent("one", "two", "three")));
    answers.put("anna", answer("resp_2", sent("one", "two", "three", "four")));
    // Two of its three are other words, so it is stored whole; in another order they are not the same.
    answers.put("anna", answer("resp_3", sent("one", "four", "five")));
    answers.put("anna", answer("resp_4", [{ content: [{ text: "one" }], role: "user" }, ...sent("four", "five")]));
    answers.put("anna", { ...answer("resp_5", sent("one", "four", "five")), conversation: "another" });
    await answers.idle();
    expect(await storedOf("resp_2")).toEqual({ previous: "resp_1", shared: 3, items: sent("four") });
    const [first, second] = [await answers.get("anna", "resp_1"), await answers.get("anna", "resp_2")];
    expect(second?.[2]).toBe(first?.[2]);
    for (const id of ["resp_3", "resp_4", "resp_5"]) expect((await storedOf(id))?.items).toHaveLength(3);
    expect(await answersOf().get("anna", "resp_2")).toEqual(sent("one", "two", "three", "four"));
  });

  it("are not stored as an addition to one that could not be stored", async () => {
    let fails = true;
    const answers = answersOf(held((real) => (fails ? Promise.reject(new Error("full")) : real())));
    const one = { role: "user", content: "one" };
    answers.put("anna", answer("resp_1", [one]));
    await answers.idle();
    fails = false;
    answers.put("anna", answer("resp_2", [one, "two"]));
    await answers.idle();
    expect(await answersOf().get("anna", "resp_2")).toEqual([one, "two"]);
  });

  it("is forgotten after a month that nobody went on from it", async () => {
    let now = Date.now();
    const answers = () => answersOf(store, () => now);
    const first = answers();
    first.put("anna", answer("resp_1", ["hello"]));
    await first.idle();
    now += 29 * day;
    expect(await answers().get("anna", "resp_1")).toEqual(["hello"]);
    now += 2 * day;
    expect(await answers().get("anna", "resp_1")).toBeUndefined();
    const last = answers();
    last.put("anna", answer("resp_2", ["bye"]));
    await last.idle();
    expect(await store.of("anna").folds.find(["answer:resp_1"])).toBeUndefined();
  });
});
