import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { previousOf } from "@midfold/core/summaries";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, restoreStore } from "../index.ts";
import { migrate } from "../sql/migrate.ts";
import { migrations, schemaVersion } from "../sql/migrations.ts";
import { createTalk, type Fixture, say, startSqliteEngine, summarize } from "./test-engine.ts";

export function describeUpkeepContract(fixture: () => Fixture): void {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "midfold-upkeep-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe("migrations", () => {
    it("run once when many programs start at once", async () => {
      const url = await fixture().engine.createUrl();
      const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ url })));
      for (const store of stores) expect((await store.ping()).schemaVersion).toBe(schemaVersion);
      await Promise.all(stores.map((store) => store.close()));
    });

    it("refuse a database of a newer program, and leave it alone", async () => {
      const { engine } = fixture();
      const url = await engine.createUrl();
      await (await openStore({ url })).close();
      const database = await engine.openDatabase(url);
      await database.write((db) =>
        db.insertInto("schema_migrations").values({ version: 99, name: "future", applied_at: 0 }).execute(),
      );
      await database.close();
      await expect(openStore({ url })).rejects.toMatchObject({
        code: "STORE_TOO_NEW",
        details: { database: 99, program: schemaVersion },
      });
    });

    it("leave the summaries of older programs in force, each with the fold it stands for", async () => {
      const { engine } = fixture();
      const url = await engine.createUrl();
      const database = await engine.openDatabase(url);
      const before = migrations.filter(({ version }) => version < 6);
      expect(await migrate(database, before)).toBe(5);
      const content = JSON.stringify({
        summaryText: "They agreed on tea at 4 pm.",
        messageRange: { firstMessageId: "m1", lastMessageId: "m2" },
        compressionTimestamp: "2025-11-16T10:30:00Z",
        compressionType: "auto",
        originalTokenCount: 900,
        summaryTokenCount: 12,
        messagesIncluded: 2,
      });
      await database.write(async (db) => {
        await sql`insert into chat_sessions (owner, id, title, metadata_json, version, epoch, last_seq, summary_id,
          cutoff_seq, created_at, updated_at) values ('ann', 's', 'tea', '{}', 1, 1, 3, 'x', 2, 1, 1)`.execute(db);
        for (const seq of [1, 2, 3]) {
          const parts = JSON.stringify([{ type: "text", text: `message ${seq}` }]);
          await sql`insert into chat_messages (owner, session_id, seq, id, role, parts_json, pinned, visibility, status,
            search_chunks, created_at) values ('ann', 's', ${seq}, ${`m${seq}`}, 'user', ${parts}, 0, 'all', 'complete',
            0, 1)`.execute(db);
        }
        await sql`insert into session_snapshots (owner, session_id, id, kind, state, version, content_json, extra_json,
          message_cutoff_id, cutoff_seq, token_count, created_at)
          values ('ann', 's', 'x', 'summary', 'active', 1, ${content}, '{}', 'm2', 2, 12, 1)`.execute(db);
      });
      await database.close();

      const store = await openStore({ url });
      try {
        const owner = store.of("ann");
        const { summary, messages } = await owner.context.read("s");
        expect(messages.map(({ id }) => id)).toEqual(["m3"]);
        expect(summary?.fold).toMatchObject({ covers: 2, texts: ["They agreed on tea at 4 pm."], by: "summary" });
        expect(previousOf(summary!.fold)).toMatchObject({ covers: 2, role: "system" });
        expect(previousOf(summary!.fold)?.text).toContain("They agreed on tea at 4 pm.");
        const next = await summarize(owner, "s", 3);
        expect((await owner.snapshots.undoSummary("s")).restored?.id).toBe("x");
        expect((await owner.snapshots.summaries("s")).map(({ id }) => id).sort()).toEqual(["x", next.id].sort());
        expect(await store.check()).toEqual([]);
      } finally {
        await store.close();
      }
    });

    it("go on after one that failed half way", async () => {
      const { engine } = fixture();
      const database = await engine.openDatabase(await engine.createUrl());
      try {
        const broken = {
          version: schemaVersion + 1,
          name: "broken",
          statements: () => ["create table half_done (id integer)", "create nonsense"],
        };
        await expect(migrate(database, [...migrations, broken])).rejects.toThrow();
        const repaired = { ...broken, statements: () => ["create table half_done (id integer)"] };
        expect(await migrate(database, [...migrations, repaired])).toBe(schemaVersion + 1);
        await database.read((db) => sql`select * from half_done`.execute(db));
      } finally {
        await database.close();
      }
    });
  });

  describe("backup and restore", () => {
    async function fill(url: string) {
      const store = await openStore({ url, captureContent: true });
      const owner = store.of("o");
      const { session } = await createTalk(owner, 8);
      await summarize(owner, session.id, 3);
      await summarize(owner, session.id, 6);
      await owner.settings.set({ kind: "global" }, { a: 1 });
      await owner.keys.create({ name: "k" });
      await owner.folds.put({ prefix: "p", covered: 1, record: {} });
      owner.requests.write({
        id: "r",
        protocol: "p",
        model: "m",
        action: "none",
        status: 200,
        messagesBefore: 1,
        messagesAfter: 1,
        tokensBefore: 1,
        tokensAfter: 1,
        durationMs: 0.5,
        content: { before: 1, after: 2 },
      });
      await owner.requests.flush();
      return { store, owner, sessionId: session.id };
    }

    it("gives back everything, from a backup made while others write", async () => {
      const { engine } = fixture();
      const { store, owner, sessionId } = await fill(await engine.createUrl());
      const expected = await owner.context.read(sessionId);
      const noise = await owner.sessions.create();
      const backup = join(folder, `backup-${Math.random()}`);
      let writing = true;
      const writer = (async () => {
        while (writing) await owner.messages.append(noise.id, [say("noise")]);
      })();
      await store.backup(backup);
      writing = false;
      await writer;
      await expect(store.backup(backup)).rejects.toThrow();

      const url = await engine.createUrl();
      await restoreStore({ from: backup, url });
      const restored = await openStore({ url });
      expect(await restored.of("o").context.read(sessionId)).toEqual(expected);
      expect((await restored.of("o").messages.search("message", { sessionId })).count).toBe(8);
      expect(await restored.of("o").requests.content("r")).toEqual({ before: 1, after: 2 });
      expect(await restored.check()).toEqual([]);
      await expect(restoreStore({ from: backup, url })).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
      await restored.close();
      await store.close();
    });

    it("takes a backup of the other database as well", async () => {
      const { engine } = fixture();
      const sqlite = await startSqliteEngine();
      try {
        const { store, owner, sessionId } = await fill(await sqlite.createUrl());
        const expected = await owner.context.read(sessionId);
        const backup = join(folder, `foreign-${Math.random()}`);
        await store.backup(backup);
        await store.close();
        const url = await engine.createUrl();
        await restoreStore({ from: backup, url });
        const restored = await openStore({ url });
        expect(await restored.of("o").context.read(sessionId)).toEqual(expected);
        expect(await restored.check()).toEqual([]);
        await restored.close();
      } finally {
        await sqlite.stop();
      }
    });

    it("moves between databases by JSON lines, and refuses a file that was cut off", async () => {
      const { engine } = fixture();
      const { store, owner, sessionId } = await fill(await engine.createUrl());
      const path = join(folder, `export-${Math.random()}.jsonl`);
      const report = await store.exportTo(path);
      expect(report.tables).toMatchObject({ chat_sessions: 1, chat_messages: 8, session_snapshots: 2, client_keys: 1 });

      const target = await openStore({ url: await engine.createUrl() });
      const lines = readFileSync(path, "utf8").split("\n");
      const cut = join(folder, `cut-${Math.random()}.jsonl`);
      writeFileSync(cut, `${lines.slice(0, 6).join("\n")}\n`);
      await expect(target.importFrom(cut)).rejects.toThrow(/cut off/);
      expect(await target.importFrom(path)).toEqual(report);
      await expect(target.importFrom(path)).rejects.toThrow(/holds data/);
      expect(await target.of("o").context.read(sessionId)).toEqual(await owner.context.read(sessionId));
      expect(await target.of("o").snapshots.summaries(sessionId)).toEqual(await owner.snapshots.summaries(sessionId));
      const [next] = await target.of("o").messages.append(sessionId, [say("goes on")]);
      expect(next!.seq).toBe(9);
      expect(await target.check()).toEqual([]);
      await target.close();
      await store.close();
    });
  });
}
