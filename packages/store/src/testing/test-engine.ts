import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { MessageDraft, MessageRecord, OwnerStore, Store, SummaryContent } from "../index.ts";
import type { Database } from "../sql/database.ts";
import { openPostgres } from "../sql/postgres/open-postgres.ts";
import { openSqlite } from "../sql/sqlite/open-sqlite.ts";
import { startPostgres } from "./start-postgres.ts";

/** A database engine to run the contract over. */
export interface TestEngine {
  /** The URL of a new, empty database. */
  createUrl(): Promise<string>;
  /** The database below the store's interface, for what tests check there. */
  openDatabase(url: string): Promise<Database>;
  stop(): Promise<void>;
}

export async function startSqliteEngine(): Promise<TestEngine> {
  const folder = mkdtempSync(join(tmpdir(), "midfold-store-"));
  return {
    createUrl: async () => `sqlite:${join(folder, `${randomUUID()}.db`)}`,
    openDatabase: (url) => openSqlite(url.slice("sqlite:".length)),
    stop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function startPostgresEngine(): Promise<TestEngine> {
  const server = await startPostgres();
  return {
    createUrl: () => server.createDatabase(),
    openDatabase: async (url) => openPostgres({ url, maxConnections: 4, onLostConnection: () => undefined }),
    stop: () => server.stop(),
  };
}

/** What a contract gets: a running engine and an open store on it. */
export interface Fixture {
  readonly engine: TestEngine;
  readonly url: string;
  readonly store: Store;
}

/** An owner that no other test uses. */
export const freshOwner = ({ store }: Fixture): OwnerStore => store.of(`owner-${randomUUID()}`);

export const say = (text: string, role: MessageDraft["role"] = "user"): MessageDraft => ({
  role,
  parts: [{ type: "text", text }],
});

export const textIn = ({ parts }: Pick<MessageRecord, "parts">): string =>
  parts.map((part) => (part.type === "text" ? part.text : "")).join("");

/** A session with messages "message 1" … "message n". */
export async function createTalk(owner: OwnerStore, length: number) {
  const session = await owner.sessions.create({ title: "a talk" });
  const drafts = Array.from({ length }, (_, index) =>
    say(`message ${index + 1}`, index % 2 === 0 ? "user" : "assistant"),
  );
  return { session, messages: await owner.messages.append(session.id, drafts) };
}

export function summaryOf(messages: readonly MessageRecord[], text = "what was said"): SummaryContent {
  return {
    summaryText: text,
    messageRange: { firstMessageId: messages[0]!.id, lastMessageId: messages.at(-1)!.id },
    compressionTimestamp: "2025-11-16T10:30:00Z",
    compressionType: "auto",
    originalTokenCount: 50_000,
    summaryTokenCount: 2_000,
    messagesIncluded: messages.length,
  };
}

/** Summarizes everything up to message `upTo` (1 = the first), on top of what is in force. */
export async function summarize(owner: OwnerStore, sessionId: string, upTo: number, text?: string) {
  const { session, summary } = await owner.context.read(sessionId);
  const covered = (await owner.messages.list(sessionId, { limit: 1000 })).slice(0, upTo);
  const outcome = await owner.snapshots.publishSummary(sessionId, {
    content: summaryOf(covered, text),
    epoch: session.epoch,
    previousId: summary?.id,
  });
  if (!outcome.published) throw new Error(`not published: ${outcome.reason}`);
  return outcome.snapshot;
}
