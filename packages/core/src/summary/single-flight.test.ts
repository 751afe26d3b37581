import { expect, test } from "vitest";
import { createSingleFlight } from "./single-flight.ts";

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

test("one piece of work per key, shared by all who ask while it runs", async () => {
  const flight = createSingleFlight<number>();
  const work = deferred<number>();
  let runs = 0;
  const ask = (key: string) =>
    flight.run(key, () => {
      runs++;
      return work.promise;
    });
  const all = [ask("a"), ask("a"), ask("b")];
  work.resolve(7);
  expect(await Promise.all(all)).toEqual([7, 7, 7]);
  expect(runs).toBe(2);
  expect(flight.size).toBe(0);
  await flight.run("a", async () => ++runs);
  expect(runs).toBe(3);
});

test("a failure reaches all who wait and is forgotten", async () => {
  const flight = createSingleFlight<number>();
  const boom = () =>
    flight.run("a", async () => {
      throw new Error("boom");
    });
  const results = await Promise.allSettled([boom(), boom()]);
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
  expect(await flight.run("a", async () => 1)).toBe(1);
  await expect(
    flight.run("b", () => {
      throw new Error("at once");
    }),
  ).rejects.toThrow("at once");
});

test("one who leaves does not stop the others; the last one to leave stops the work", async () => {
  const flight = createSingleFlight<number>();
  const work = deferred<number>();
  const signals: AbortSignal[] = [];
  const start = (signal: AbortSignal) => {
    signals.push(signal);
    return work.promise;
  };
  const first = new AbortController();
  const second = new AbortController();
  const a = flight.run("k", start, first.signal);
  const b = flight.run("k", start, second.signal);
  await Promise.resolve();
  first.abort(new Error("left"));
  await expect(a).rejects.toThrow("left");
  expect(signals[0]!.aborted).toBe(false);
  second.abort(new Error("left too"));
  await expect(b).rejects.toThrow("left too");
  expect(signals[0]!.aborted).toBe(true);
  expect(flight.size).toBe(0);
  await expect(flight.run("k", start, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
});
