import {
  chmodSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadSqlite } from "../../../bench/load-sqlite.ts";
import { openStore } from "../../open-store.ts";
import { restoreStore } from "../../restore-store.ts";
import { migrate, storedVersion } from "../migrate.ts";
import { migrations } from "../migrations.ts";
import { openSqlite } from "./open-sqlite.ts";
import { SqliteThread } from "./sqlite-thread.ts";

describe("openSqlite", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "midfold-sqlite-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("promises durability before anything is written", async () => {
    const path = join(folder, "safe.db");
    const database = await openSqlite(path);
    await database.close();
    const thread = new SqliteThread({ path, readOnly: true, pragmas: [] });
    expect((await thread.run("pragma journal_mode")).rows).toEqual([{ journal_mode: "wal" }]);
    await thread.close();
  });

  it("reads the rows that the bench writes past the store", async () => {
    const path = join(folder, "bench.db");
    const options = { url: `sqlite:${path}` };
    await (await openStore(options)).close();
    loadSqlite(path, { owner: "bench", sessions: 2, messagesEach: 4, cutoff: 3 });
    const store = await openStore(options);
    expect(await store.check()).toEqual([]);
    const { messages, summary } = await store.of("bench").context.read("s000001");
    expect([messages.length, summary?.fold.covers]).toEqual([1, 3]);
    await store.close();
  });

  it("refuses a file that is no database", async () => {
    const path = join(folder, "text.db");
    writeFileSync(path, "this is a diary, not a database".repeat(100));
    await expect(openStore({ url: `sqlite:${path}` })).rejects.toMatchObject({ code: "STORE_CORRUPT" });
  });

  it("refuses a folder it cannot write to", async () => {
    const path = join(folder, "plain-file");
    writeFileSync(path, "");
    await expect(openStore({ url: `sqlite:${path}/below.db` })).rejects.toMatchObject({ code: "STORE_UNSAFE" });
  });

  it.runIf(process.getuid?.() !== 0)("refuses a file that is read-only", async () => {
    const path = join(folder, "readonly.db");
    await (await openStore({ url: `sqlite:${path}` })).close();
    chmodSync(path, 0o400);
    await expect(openStore({ url: `sqlite:${path}` })).rejects.toMatchObject({ code: "STORE_UNSAFE" });
  });

  it("refuses a URL of another kind", async () => {
    await expect(openStore({ url: "mysql://x" })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it.each(["sqlite::memory:", "sqlite:/some/folder/:memory:", "sqlite:file::memory:?cache=shared"])(
    "refuses a database in memory instead of writing a file of that name: %s",
    async (url) => {
      await expect(openStore({ url })).rejects.toThrow(/in memory .* Name a file, or use none/);
    },
  );

  it("reports damaged pages", async () => {
    const path = join(folder, "damaged.db");
    const store = await openStore({ url: `sqlite:${path}` });
    const owner = store.of("o");
    const { id } = await owner.sessions.create();
    const parts = [{ type: "text" as const, text: "x".repeat(3000) }];
    for (let index = 0; index < 30; index++) await owner.messages.append(id, [{ role: "user", parts }]);
    await store.close();
    const file = openSync(path, "r+");
    for (let page = 30; page < 45; page++) writeSync(file, Buffer.alloc(4096, 0xa5), 0, 4096, page * 4096);
    const damaged = await openStore({ url: `sqlite:${path}` });
    await damaged.ping();
    const problems = await damaged.check().catch((error) => [String(error.code)]);
    expect(problems).not.toEqual([]);
    // The place that `ping` writes to is whole; that another was found damaged is remembered.
    await expect(damaged.exportTo(join(folder, "rows.jsonl"))).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await expect(damaged.ping()).rejects.toMatchObject({ code: "STORE_CORRUPT" });
    await damaged.close().catch(() => undefined);
  });

  it("keeps the event loop free while a query runs long", async () => {
    const thread = new SqliteThread({ path: join(folder, "busy.db"), readOnly: false, pragmas: [] });
    await thread.run("select 1");
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    await thread.run(
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select sum(i) from n",
    );
    clearInterval(timer);
    delay.disable();
    // While the query ran, timers did too; on the event loop itself there would have been none.
    expect(turns).toBeGreaterThan(3);
    await thread.close();
  });

  it("ends readers that have nothing to do, and starts new ones when asked", async () => {
    const database = await openSqlite(join(folder, "idle.db"));
    const count = () => database.read((db) => sql<{ one: number }>`select 1 as one`.execute(db));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const closed = vi.spyOn(SqliteThread.prototype, "close");
    try {
      await count();
      vi.advanceTimersByTime(9_000);
      await count();
      vi.advanceTimersByTime(9_000);
      expect(closed).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1_000);
      expect(closed).toHaveBeenCalledTimes(1);
      expect((await count()).rows).toEqual([{ one: 1 }]);
    } finally {
      vi.useRealTimers();
      closed.mockRestore();
      await database.close();
    }
  });

  it("starts no reader for a read that nobody waits for", async () => {
    const database = await openSqlite(join(folder, "unhurried.db"));
    const run = vi.spyOn(SqliteThread.prototype, "run");
    try {
      const count = (unhurried: boolean) =>
        database.read((db) => sql<{ one: number }>`select 1 as one`.execute(db), { unhurried });
      expect((await count(true)).rows).toEqual([{ one: 1 }]);
      await database.write((db) => sql`select 2`.execute(db));
      expect(new Set(run.mock.contexts).size).toBe(1);
      await count(false);
      expect(new Set(run.mock.contexts).size).toBe(2);
    } finally {
      run.mockRestore();
      await database.close();
    }
  });

  it("keeps a copy of the old database before it changes the schema", async () => {
    const path = join(folder, "old.db");
    const old = await openSqlite(path);
    await migrate(old, migrations.slice(0, 1));
    await old.close();
    await (await openStore({ url: `sqlite:${path}` })).close();
    const copy = await openSqlite(`${path}.version-1`);
    expect(await storedVersion(copy)).toBe(1);
    await copy.close();
  });

  it("lets several programs start at once on an old database", async () => {
    const path = join(folder, "several.db");
    const old = await openSqlite(path);
    await migrate(old, migrations.slice(0, 1));
    await old.close();
    const stores = await Promise.all(Array.from({ length: 6 }, () => openStore({ url: `sqlite:${path}` })));
    for (const store of stores) await store.close();
    const copy = await openSqlite(`${path}.version-1`);
    expect(await storedVersion(copy)).toBe(1);
    await copy.close();
    expect(readdirSync(folder).filter((name) => /^several\.db\.version-\d\./.test(name))).toEqual([]);
  });

  it("is readable by its owner only, with its side files, its secret and its copies", async () => {
    const path = join(folder, "private.db");
    writeFileSync(path, "", { mode: 0o644 });
    const store = await openStore({ url: `sqlite:${path}` });
    await store.backup(join(folder, "private-backup.db"));
    for (const name of readdirSync(folder).filter((entry) => entry.startsWith("private"))) {
      expect(`${name} ${(statSync(join(folder, name)).mode & 0o777).toString(8)}`).toBe(`${name} 600`);
    }
    await store.close();
  });

  it("leaves nothing of a restore that failed", async () => {
    const lines = join(folder, "cut.jsonl");
    const store = await openStore({ url: `sqlite:${join(folder, "whole.db")}` });
    await store.exportTo(lines);
    await store.close();
    const [first = ""] = readFileSync(lines, "utf8").split("\n");
    writeFileSync(lines, `${first}\n`);
    const before = readdirSync(folder).length;
    await expect(restoreStore({ from: lines, url: `sqlite:${join(folder, "restored.db")}` })).rejects.toThrow(
      /cut off/,
    );
    expect(readdirSync(folder)).toHaveLength(before);
  });

  it("fails calls after closing, without hanging", async () => {
    const store = await openStore({ url: `sqlite:${join(folder, "closed.db")}` });
    await store.close();
    await expect(store.of("o").sessions.list()).rejects.toThrow();
  });
});
