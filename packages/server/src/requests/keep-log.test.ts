import type { Atom, Plan } from "@midfold/core";
import type { Store } from "@midfold/store";
import { beforeEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";
import { temporaryStore } from "../testing/temporary-store.ts";
import { createRequestLog } from "./request-log.ts";
import { startRecord } from "./request-record.ts";
import { toStore } from "./to-store.ts";

let store: Store;
beforeEach(async () => {
  store = await temporaryStore();
});

const words = (n: number, seed: string) => `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(n)}`;
const turns = Array.from({ length: 61 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: words(20, `Turn ${i}.`),
}));
const read = async (url: string, path: string) => (await fetch(`${url}/api/console/${path}`)).json();

describe("the request log after a restart", () => {
  it("shows what was shown before, but for what became of single messages and for the words of errors", async () => {
    const yaml = "routes: [{ model: '*', upstream: { provider: demo } }]";
    const first = await startGateway({ yaml, store });
    await (await first.post("/v1/chat/completions", { model: "midfold-demo-8k", messages: turns })).text();
    await (await first.post("/v1/chat/completions", { model: "midfold-demo", messages: 5 })).text();
    const before = await read(first.url, "requests");
    const detail = await read(first.url, `requests/${before.items[1].id}`);
    await first.close();
    await store.of("local").requests.flush();

    const second = await startGateway({ yaml, store });
    try {
      await expect.poll(async () => (await read(second.url, "requests")).items.length).toBe(2);
      const after = await read(second.url, "requests");
      const rounded = (items: { timing: { total: number; upstreamFirstByte: number | null } }[]) =>
        items.map(({ timing, ...rest }) => ({
          ...rest,
          timing: {
            ...timing,
            total: Math.round(timing.total),
            upstreamFirstByte: timing.upstreamFirstByte === null ? null : Math.round(timing.upstreamFirstByte),
          },
        }));
      expect(rounded(after.items)).toEqual(rounded(before.items));
      expect(before.items[1].fold.outcome).toBe("folded");
      const recalled = await read(second.url, `requests/${before.items[1].id}`);
      expect(recalled).toMatchObject({ reasons: detail.reasons, decisions: null });
      // The figures since the start are of this run alone.
      expect(await read(second.url, "overview")).toMatchObject({ requests: 0 });
      await (await second.post("/v1/chat/completions", { model: "midfold-demo", messages: turns.slice(0, 1) })).text();
      const ids = (await read(second.url, "requests")).items.map(({ id }: { id: string }) => id);
      expect(ids.slice(1)).toEqual(before.items.map(({ id }: { id: string }) => id));
    } finally {
      await second.close();
    }
  });

  it("is kept within its bounds", async () => {
    for (let index = 0; index < 5; index++) {
      store.of("local").requests.write({
        id: `r${index}`,
        protocol: "openai-chat",
        model: "m",
        action: "fits",
        status: 200,
        messagesBefore: 1,
        messagesAfter: 1,
        tokensBefore: 1,
        tokensAfter: 1,
        durationMs: 1,
      });
      await store.of("local").requests.flush();
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const yaml = "server: { requestLog: { keep: 2 } }\nroutes: [{ model: '*', upstream: { provider: demo } }]";
    const gateway = await startGateway({ yaml, store });
    try {
      await expect.poll(async () => (await store.requests.newest(10)).map(({ id }) => id)).toEqual(["r4", "r3"]);
      // What is no longer stored can still be seen until the next start.
      expect((await read(gateway.url, "requests")).items).toHaveLength(5);
    } finally {
      await gateway.close();
    }
  });
});

const record = (id: string) =>
  startRecord({ id, at: 0, tenant: "t", keyId: undefined, keyName: undefined, client: "", protocol: "", path: "" });

describe("what the log keeps in memory", () => {
  const atom = { kind: "message", first: 0, last: 0, tokens: 1, pinned: false } as unknown as Atom;
  const folded = (id: string, atoms: number, facts: object = {}) => {
    const tokens = { before: 9, after: 1, budget: 5, target: 4, fixed: 0 };
    const many = <TItem>(item: TItem) => new Array<TItem>(atoms).fill(item);
    const reasons = [{ rung: "fold-middle", rule: "old", atoms, freed: 8 }];
    const plan: Plan = {
      ...{ atoms: many(atom), decisions: many({ do: "drop" }), reasons, rungs: ["fold-middle"], tokens },
      ...{ spans: [{ atoms: [0], messages: 1, tokens: 9, maxTokens: 1, by: "digest" }], cuts: [] },
    };
    return Object.assign(record(id), { plan, frames: ["what was said"], outcome: "folded" as const, ...facts });
  };

  it("is what became of every message for the newest requests, and the reasons for all", () => {
    const log = createRequestLog({ capacity: 10, contentCapacity: 5, atomCapacity: 7 });
    for (const id of ["a", "b", "c", "d"]) log.end(folded(id, 3));
    const kept = [...log.records()].map(({ plan }) => [plan?.atoms.length, plan?.decisions.length, plan?.spans.length]);
    expect(kept).toEqual([...[3, 3].map(() => [3, 3, 1]), ...[0, 0].map(() => [0, 0, 0])]);
    expect([...log.records()].every(({ plan }) => plan?.reasons.length === 1 && plan.rungs.length === 1)).toBe(true);
    log.end(folded("e", 8));
    expect([...log.records()].map(({ plan }) => plan?.atoms.length)).toEqual([0, 0, 0, 0, 0]);
    log.end(folded("f", 7));
    expect(log.get("f")?.plan?.atoms).toHaveLength(7);
  });

  it("has the texts of a fold only beside its content", () => {
    const log = createRequestLog({ capacity: 10, contentCapacity: 1, atomCapacity: 100 });
    const content = { before: [], after: [], system: [], tools: [] };
    log.end(folded("without", 1));
    log.end(folded("older", 1, { content }));
    log.end(folded("newer", 1, { content }));
    const frames = Object.fromEntries([...log.records()].map(({ id, frames }) => [id, frames]));
    expect(frames).toEqual({ without: [], older: [], newer: ["what was said"] });
  });
});

it("records of an earlier run never push out those of this one", () => {
  const log = createRequestLog({ capacity: 3, contentCapacity: 1, atomCapacity: 10 });
  for (const id of ["new-1", "new-2"]) log.end(record(id));
  log.recall(["new-1", "old-3", "old-2", "old-1"].map(record));
  const ids = () => [...log.records()].map(({ id }) => id);
  expect(ids()).toEqual(["new-2", "new-1", "old-3"]);
  log.end(record("new-3"));
  expect(ids()).toEqual(["new-3", "new-2", "new-1"]);
});

describe("the stored log under load", () => {
  it("leaves ordinary requests out beyond a rate and says how many; folded and failed ones are all there", async () => {
    let now = 1_800_000_000_000;
    const told: number[] = [];
    const sink = toStore(store, { capture: false, now: () => now, onLeftOut: (count) => void told.push(count) });
    const record = (id: string, facts: object = {}) => {
      const start = { id, at: now, tenant: "t", keyId: undefined, keyName: undefined, client: "c", protocol: "p" };
      return Object.assign(startRecord({ ...start, path: "/" }), { state: "done", status: 200, model: "m" }, facts);
    };
    for (let i = 0; i < 500; i++) sink(record(`fits-${i}`, { outcome: "fits" }));
    sink(record("folded", { outcome: "folded" }));
    sink(record("failed", { outcome: "fits", state: "failed", status: 500 }));
    now += 11_000;
    sink(record("later", { outcome: "fits" }));
    const requests = store.of("t").requests;
    await requests.flush();
    const { items } = await requests.list({ limit: 500 });
    expect(items).toHaveLength(403);
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(["folded", "failed", "later"]));
    expect(told).toEqual([100]);
  });
});
