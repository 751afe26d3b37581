import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { RequestEntry } from "../gateway/request-log.ts";
import { hashKey, openStore } from "../index.ts";
import { migrate } from "../sql/migrate.ts";
import { newRows } from "../sql/new-rows.ts";
import { type Fixture, freshOwner } from "./test-engine.ts";

const entry = (id: string, more: Partial<RequestEntry> = {}): RequestEntry => ({
  id,
  protocol: "openai-chat",
  model: "gpt-4o",
  action: "none",
  status: 200,
  messagesBefore: 10,
  messagesAfter: 10,
  tokensBefore: 1000,
  tokensAfter: 1000,
  durationMs: 12.5,
  ...more,
});

export function describeGatewayContract(fixture: () => Fixture): void {
  describe("fold cache", () => {
    it("returns the fold that covers most, and keeps the first for a prefix", async () => {
      const { folds } = freshOwner(fixture());
      await folds.put({ prefix: "aa", covered: 5, record: { texts: ["five"] } });
      await folds.put({ prefix: "bb", covered: 9, record: { texts: ["nine"] } });
      const second = await folds.put({ prefix: "bb", covered: 9, record: { texts: ["too late"] } });
      expect(second.record).toEqual({ texts: ["nine"] });
      const many = Array.from({ length: 1200 }, (_, index) => `p${index}`);
      expect(await folds.find([...many, "aa", "bb"])).toMatchObject({ prefix: "bb", covered: 9 });
      expect(await folds.find(["aa", ...many])).toMatchObject({ prefix: "aa" });
      expect(await folds.find(["cc"])).toBeUndefined();
      expect(await folds.find([])).toBeUndefined();
      expect(await folds.prune(Date.now() - 60_000)).toBe(0);
      expect(await folds.prune(Date.now() + 60_000)).toBe(2);
    });
  });

  describe("records stored behind requests", () => {
    it("are found once they are stored, each by its owner only", async () => {
      const [one, two] = [freshOwner(fixture()), freshOwner(fixture())];
      const texts = Array.from({ length: 250 }, (_, index) => `text ${index} \u0000`);
      await Promise.all(
        texts.flatMap((text, index) =>
          [one, two].map(({ folds, owner }) =>
            folds.putSoon({ prefix: `s${index}`, covered: 0, record: [owner, text] }),
          ),
        ),
      );
      for (const { folds, owner } of [one, two]) {
        expect((await folds.find(["s0"]))?.record).toEqual([owner, "text 0 \ufffd"]);
        expect((await folds.find(["s249"]))?.record).toEqual([owner, "text 249 \ufffd"]);
      }
      await one.folds.putSoon({ prefix: "s0", covered: 0, record: "too late" });
      expect((await one.folds.find(["s0"]))?.record).toEqual([one.owner, "text 0 \ufffd"]);
    });

    it("are stored all or none, and a failure leaves nothing behind", async () => {
      const database = await fixture().engine.openDatabase(await fixture().engine.createUrl());
      try {
        await migrate(database);
        const row = (prefix: string, record_json: string | null) =>
          ({ owner: "o", prefix, covered: 0, record_json, created_at: database.traits.now, used_at: 1 }) as never;
        const stored = () => database.read((db) => db.selectFrom("fold_records").select("prefix").execute());
        const insert = (...rows: never[]) => database.insertNew([newRows("fold_records", rows, ["owner", "prefix"])]);
        await expect(insert(row("a", "1"), row("b", null))).rejects.toThrow();
        expect(await stored()).toEqual([]);
        await insert(row("a", "1"), row("b", "2"));
        await insert(row("b", "3"), row("c", "4"));
        expect((await stored()).map(({ prefix }) => prefix).sort()).toEqual(["a", "b", "c"]);
      } finally {
        await database.close();
      }
    });

    it("that could not be stored say so", async () => {
      const { folds } = freshOwner(fixture());
      await expect(folds.putSoon({ prefix: "s1", covered: 0, record: undefined })).rejects.toMatchObject({
        code: "VALIDATION_ERROR",
      });
    });
  });

  describe("learned limits and calibrations", () => {
    it("remember the latest", async () => {
      const { limits, calibrations } = freshOwner(fixture());
      const limit = { upstream: "u", model: "m", contextWindow: 8192, maxOutputTokens: undefined, evidence: "400" };
      await limits.put({ ...limit, contextWindow: 4096 });
      expect(await limits.put(limit)).toMatchObject(limit);
      expect(await limits.list()).toMatchObject([limit]);
      await limits.remove("u", "m");
      expect(await limits.list()).toEqual([]);
      await calibrations.put({ model: "claude", counter: "o200k_base", ratio: 1.17, samples: 3 });
      await calibrations.put({ model: "claude", counter: "o200k_base", ratio: 1.25, samples: 4 });
      expect(await calibrations.list()).toMatchObject([{ ratio: 1.25, samples: 4 }]);
    });
  });

  describe("request log", () => {
    it("writes behind and is read page by page", async () => {
      const { requests } = freshOwner(fixture());
      for (let index = 0; index < 5; index++) requests.write(entry(`plain-${index}`));
      requests.write(entry("folded", { action: "fold", tokensAfter: 400, details: { rungs: ["fold"] }, keyId: "k" }));
      requests.write(entry("failed", { status: 502, errorCode: "SUMMARY_FAILED", model: "other" }));
      await requests.flush();
      const first = await requests.list({ limit: 4 });
      const rest = await requests.list({ limit: 4, after: first.next! });
      const all = [...first.items, ...rest.items];
      expect(new Set(all.map(({ id }) => id)).size).toBe(7);
      const folded = { action: "fold", tokensAfter: 400, details: { rungs: ["fold"] }, keyId: "k", hasContent: false };
      expect(all.find(({ id }) => id === "folded")).toMatchObject(folded);
      expect(all.find(({ id }) => id === "failed")).toMatchObject({ errorCode: "SUMMARY_FAILED", model: "other" });
    });

    it("is read and pruned over all owners, newest first and oldest first", async () => {
      const store = await openStore({ url: await fixture().engine.createUrl(), captureContent: true });
      try {
        const [anna, ben] = [store.of("anna"), store.of("ben")];
        for (let index = 0; index < 4; index++) {
          const { requests } = index % 2 === 0 ? anna : ben;
          requests.write(entry(`r${index}`, { content: { before: [], after: [] } }));
          await requests.flush();
          await setTimeout(3);
        }
        const newest = await store.requests.newest(3);
        expect(newest.map(({ owner, id }) => `${owner} ${id}`)).toEqual(["ben r3", "anna r2", "ben r1"]);
        expect(await store.requests.prune({ olderThan: 0, keep: 10 })).toBe(0);
        expect(await store.requests.prune({ olderThan: 0, keep: 3 })).toBe(1);
        expect(await anna.requests.content("r0")).toBeUndefined();
        expect(await anna.requests.content("r2")).toBeDefined();
        expect(await store.requests.prune({ olderThan: newest[0]!.at, keep: 10 })).toBe(2);
        expect((await store.requests.newest(10)).map(({ id }) => id)).toEqual(["r3"]);
        expect(await store.requests.prune({ olderThan: 0, keep: 0 })).toBe(1);
      } finally {
        await store.close();
      }
    });

    it("keeps content only when told to", async () => {
      const content = { before: [{ role: "user", content: "secret" }], after: [], beside: { answer: "well kept" } };
      const off = freshOwner(fixture());
      off.requests.write(entry("r", { content }));
      await off.requests.flush();
      expect(await off.requests.content("r")).toBeUndefined();

      const store = await openStore({ url: await fixture().engine.createUrl(), captureContent: true });
      try {
        const on = store.of("o");
        on.requests.write(entry("r", { content }));
        await on.requests.flush();
        expect(await on.requests.content("r")).toEqual(content);
        expect((await on.requests.list()).items).toMatchObject([{ id: "r", hasContent: true }]);
      } finally {
        await store.close();
      }
    });
  });

  describe("fold records", () => {
    it("cannot be read in the database, and one of another secret is as good as none", async () => {
      const url = await fixture().engine.createUrl();
      const store = await openStore({ url, secret: "a secret of the test" });
      const fold = { prefix: "p1", covered: 3, record: { texts: ["the user said: my password is swordfish"] } };
      await store.of("anna").folds.put(fold);
      expect(await store.of("anna").folds.find(["p1"])).toMatchObject(fold);
      await store.close();
      const database = await fixture().engine.openDatabase(url);
      const rows = await database.read((db) => db.selectFrom("fold_records").selectAll().execute());
      await database.close();
      expect(JSON.stringify(rows)).not.toContain("swordfish");
      const other = await openStore({ url, secret: "another secret of the test" });
      try {
        expect(await other.of("anna").folds.find(["p1"])).toBeUndefined();
        await other.of("anna").folds.put(fold);
        expect(await other.of("anna").folds.find(["p1"])).toMatchObject(fold);
      } finally {
        await other.close();
      }
    });
  });

  describe("client keys", () => {
    it("are shown once, found by hash, and gone when revoked", async () => {
      const { store } = fixture();
      const owner = freshOwner(fixture());
      const { key, secret } = await owner.keys.create({ name: "ci", limits: { requestsPerMinute: 60 } });
      expect(secret).toMatch(/^mf-[\w-]{43}$/);
      expect(await store.authenticate(hashKey(secret))).toEqual(key);
      expect(JSON.stringify(await owner.keys.list())).not.toContain(secret);
      await owner.keys.touch(key.id);
      expect((await owner.keys.list())[0]?.lastUsedAt).toBeGreaterThan(0);
      expect((await owner.keys.revoke(key.id)).revokedAt).toBeGreaterThan(0);
      expect(await store.authenticate(hashKey(secret))).toBeUndefined();
      expect(await store.authenticate(hashKey("mf-guess"))).toBeUndefined();
      await expect(owner.keys.revoke("none")).rejects.toMatchObject({ code: "NOT_FOUND" });
    });

    it("that a key made have its limits, and end when it ends", async () => {
      const { store } = fixture();
      const owner = freshOwner(fixture());
      const first = await owner.keys.create({ name: "first", limits: { requestsPerMinute: 1, admin: true } });
      const child = await owner.keys.create({ name: "child", madeBy: first.key.id });
      const grandchild = await owner.keys.create({ name: "grandchild", limits: {}, madeBy: child.key.id });
      const known = await store.authenticate(hashKey(grandchild.secret));
      expect(known?.limits).toEqual({ requestsPerMinute: 1 });
      expect(known?.ancestors).toEqual([first.key.id, child.key.id]);
      const other = freshOwner(fixture());
      await expect(other.keys.create({ name: "x", madeBy: first.key.id })).rejects.toMatchObject({ code: "NOT_FOUND" });
      await owner.keys.revoke(first.key.id);
      for (const { secret } of [first, child, grandchild]) {
        expect(await store.authenticate(hashKey(secret))).toBeUndefined();
      }
      expect((await owner.keys.list()).every(({ revokedAt }) => revokedAt !== undefined)).toBe(true);
    });
  });

  describe("providers", () => {
    const key = "sk-live-0123456789abcdef";
    const open = async () => openStore({ url: await fixture().engine.createUrl(), secret: "a secret of the test" });

    it("belong to one owner, and their keys are nowhere in the database", async () => {
      const url = await fixture().engine.createUrl();
      const store = await openStore({ url, secret: "a secret of the test" });
      try {
        const [anna, ben] = [store.of("anna"), store.of("ben")];
        const put = await anna.providers.put({ name: "mine", kind: "openai", key });
        expect(put).toMatchObject({ name: "mine", kind: "openai", baseUrl: undefined, keyHint: "…cdef" });
        expect(await ben.providers.list()).toEqual([]);
        expect(await ben.providers.open()).toEqual([]);
        await expect(ben.providers.remove("mine")).rejects.toMatchObject({ code: "NOT_FOUND" });
        expect(JSON.stringify(await anna.providers.list())).not.toContain(key);
        expect(await anna.providers.open()).toMatchObject([{ name: "mine", key }]);
        const database = await fixture().engine.openDatabase(url);
        const rows = await database.read((db) => db.selectFrom("providers").selectAll().execute());
        expect(JSON.stringify(rows)).not.toContain("0123456789");
        // A row given to somebody else cannot be opened.
        await database.write((db) => db.updateTable("providers").set({ owner: "ben" }).execute());
        await database.close();
        expect(await ben.providers.open()).toMatchObject([{ name: "mine", key: undefined, keyLost: true }]);
      } finally {
        await store.close();
      }
    });

    it("are changed, keep their key unless told, and are removed", async () => {
      const store = await open();
      try {
        const { providers } = store.of("anna");
        await providers.put({ name: "mine", kind: "openai", key });
        await providers.put({ name: "mine", kind: "openai" });
        const moved = { name: "mine", kind: "generic", baseUrl: "https://models.example/v1" };
        await expect(providers.put(moved)).rejects.toThrow(/Enter the key again/);
        expect(await providers.open()).toMatchObject([{ kind: "openai", baseUrl: undefined, key }]);
        await providers.put({ ...moved, key });
        expect(await providers.open()).toMatchObject([{ kind: "generic", baseUrl: "https://models.example/v1", key }]);
        await providers.put({ ...moved, key: null });
        expect(await providers.open()).toMatchObject([{ key: undefined, keyHint: undefined }]);
        await providers.remove("mine");
        expect(await providers.list()).toEqual([]);
      } finally {
        await store.close();
      }
    });
  });
}
