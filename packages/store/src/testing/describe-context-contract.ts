import { CompiledQuery, type KyselyPlugin, sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openStore } from "../index.ts";
import { sessionRows } from "../sessions/create-sessions.ts";
import { publishSummary } from "../sessions/create-snapshots.ts";
import { contextRows } from "../sessions/read-context.ts";
import type { Database, Reader } from "../sql/database.ts";
import { createTalk, type Fixture, freshOwner, say, summarize, summaryOf, textIn } from "./test-engine.ts";

export function describeContextContract(fixture: () => Fixture): void {
  describe("context", () => {
    it("is the summary in force and only what came after it", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 6);
      expect((await owner.context.read(session.id)).messages).toHaveLength(6);
      await summarize(owner, session.id, 4, "the beginning");
      await owner.messages.append(session.id, [
        { ...say("a notice"), visibility: "person" },
        { ...say("injected"), visibility: "model" },
        { ...say(""), status: "failed" },
      ]);
      const context = await owner.context.read(session.id);
      expect(context.summary?.content.summaryText).toBe("the beginning");
      expect(context.messages.map(textIn)).toEqual(["message 5", "message 6", "injected"]);
    });

    it("is empty for an empty session", async () => {
      const owner = freshOwner(fixture());
      const { id } = await owner.sessions.create();
      expect(await owner.context.read(id)).toMatchObject({ messages: [], summary: undefined });
    });

    it("is consistent while summaries come and go", async () => {
      const owner = freshOwner(fixture());
      const { session } = await createTalk(owner, 12);
      const expected = (cutoff: number) => Array.from({ length: 12 - cutoff }, (_, i) => `message ${i + cutoff + 1}`);
      let done = false;
      const writing = (async () => {
        for (let round = 0; round < 15; round++) {
          await summarize(owner, session.id, 5);
          await summarize(owner, session.id, 10);
          await owner.snapshots.undoSummary(session.id);
          await owner.snapshots.undoSummary(session.id);
        }
        done = true;
      })();
      while (!done) {
        const { summary, messages } = await owner.context.read(session.id);
        expect(messages.map(textIn)).toEqual(expected(summary?.cutoffSeq ?? 0));
      }
      await writing;
    });

    it("never touches what is summarized: the plan starts at the cutoff, in an index", async () => {
      const { engine } = fixture();
      const url = await engine.createUrl();
      const store = await openStore({ url });
      const database = await engine.openDatabase(url);
      try {
        const owner = store.of("planner");
        for (let index = 0; index < 20; index++) {
          const { id } = await owner.sessions.create({ id: `s${index}` });
          await owner.messages.append(
            id,
            Array.from({ length: 200 }, (_, at) => say(`message ${at}`)),
          );
          await summarize(owner, id, 190);
        }
        await database.write((db) => sql`analyze`.execute(db));
        const plan = await explain(database, (db) => contextRows(db, { owner: "planner", sessionId: "s7" }));
        expect(plan).toContain("chat_messages_by_seq");
        expect(plan).toMatch(/seq ?>/);
        // Reading a whole table is fine for one with twenty rows, never for the messages.
        expect(plan).not.toMatch(/seq scan on chat_messages|scan chat_messages(?! using)/i);
        expect(plan).not.toMatch(/temp b-tree|rows=\d{3,}/i);
      } finally {
        await database.close();
        await store.close();
      }
    });
  });

  describe("lists by time", () => {
    it("come out of an index in their order, without sorting", async () => {
      const { engine } = fixture();
      const url = await engine.createUrl();
      const store = await openStore({ url });
      const database = await engine.openDatabase(url);
      try {
        const owner = store.of("lister");
        for (let index = 0; index < 300; index++) await owner.sessions.create();
        const page = await owner.sessions.list({ limit: 5 });
        await database.write((db) => sql`analyze`.execute(db));
        const plan = await explain(database, (db) => sessionRows(db, { owner: "lister", after: page.next, limit: 5 }));
        expect(plan).toContain("chat_sessions_by_change");
        expect(plan).not.toMatch(/sort|temp b-tree/i);
      } finally {
        await database.close();
        await store.close();
      }
    });
  });

  describe("a crash inside publishing", () => {
    it("leaves the old state or the new one, whichever statement it hits", async () => {
      const { engine, url } = fixture();
      const owner = freshOwner(fixture());
      const database = await engine.openDatabase(url);
      try {
        const { session } = await createTalk(owner, 6);
        await summarize(owner, session.id, 2, "old");
        const old = await owner.context.read(session.id);
        const draft = {
          content: summaryOf((await owner.messages.list(session.id)).slice(0, 4), "new"),
          epoch: old.session.epoch,
          previousId: old.summary?.id,
        };
        for (let step = 1; ; step++) {
          const failing = failAt(database, step);
          const outcome = await publishSummary({ database: failing, owner: owner.owner }, session.id, draft).catch(
            (error: Error) => error.message,
          );
          const now = await owner.context.read(session.id);
          if (typeof outcome !== "string") {
            expect(step).toBeGreaterThan(5);
            expect(now.summary?.content.summaryText).toBe("new");
            break;
          }
          expect(outcome).toBe("power cut");
          expect(now).toEqual(old);
        }
      } finally {
        await database.close();
      }
    });
  });
}

async function explain(database: Database, query: (db: Reader) => { compile(): CompiledQuery }): Promise<string> {
  return database.read(async (db) => {
    const { sql: text, parameters } = query(db).compile();
    const prefix = database.traits.engine === "sqlite" ? "explain query plan" : "explain";
    const { rows } = await db.executeQuery(CompiledQuery.raw(`${prefix} ${text}`, [...parameters]));
    return rows.map((row) => Object.values(row as object).join(" ")).join("\n");
  });
}

/** The same database, with transactions that fail at their n-th statement. */
function failAt(database: Database, step: number): Database {
  let count = 0;
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      if (++count === step) throw new Error("power cut");
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  return { ...database, write: (work) => database.write((db) => work(db.withPlugin(plugin) as typeof db)) };
}
