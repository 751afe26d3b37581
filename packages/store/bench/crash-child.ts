// Appends and folds until it is killed, and tells what was acknowledged before each next step. Loads everything,
// then waits for a line on standard input, so that the parent can kill several of these a second.
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { foldLease, type OwnerStore, openStore } from "../src/index.ts";

interface Order {
  readonly url: string;
  readonly owner: string;
  readonly sessions: readonly string[];
}

const order = await new Promise<Order>((resolve) => {
  createInterface({ input: process.stdin }).once("line", (line) => resolve(JSON.parse(line)));
});
const store = await openStore({ url: order.url, maxConnections: 4 });
const owner = store.of(order.owner);
// A line that got into the pipe is an acknowledgement: the write is complete before the kill, or not made.
const acknowledge = (...words: readonly (string | number)[]) => writeSync(1, `${words.join(" ")}\n`);
acknowledge("ready");
let round = 0;

await Promise.all(order.sessions.map((sessionId, index) => talk(owner, sessionId, index)));

async function talk(owner: OwnerStore, sessionId: string, index: number): Promise<void> {
  for (;;) {
    round++;
    const drafts = Array.from({ length: 1 + (round % 3) }, (_, at) => ({
      role: at % 2 === 0 ? ("user" as const) : ("assistant" as const),
      parts: [{ type: "text" as const, text: `round ${round} part ${at} 崩溃测试 ${"filler ".repeat(round % 40)}` }],
    }));
    for (const { id, seq } of await owner.messages.append(sessionId, drafts))
      acknowledge("message", sessionId, id, seq);
    if ((round + index) % 3 === 0) await fold(owner, sessionId);
    if ((round + index) % 11 === 0) await undo(owner, sessionId);
  }
}

async function fold(owner: OwnerStore, sessionId: string): Promise<void> {
  await owner.leases.runExclusive(foldLease(sessionId), { ttlMs: 100 }, async (lease) => {
    const { session, summary, messages } = await owner.context.read(sessionId);
    const covered = messages.slice(0, -2);
    const [first, last] = [covered[0], covered.at(-1)];
    if (first === undefined || last === undefined) return;
    const outcome = await owner.snapshots.publishSummary(sessionId, {
      epoch: session.epoch,
      previousId: summary?.id,
      fence: lease,
      content: {
        summaryText: `${summary?.content.summaryText.slice(-200) ?? ""} and ${covered.length} more`,
        messageRange: {
          firstMessageId: summary?.content.messageRange.firstMessageId ?? first.id,
          lastMessageId: last.id,
        },
        compressionTimestamp: new Date().toISOString(),
        compressionType: "auto",
        originalTokenCount: 100,
        summaryTokenCount: 10,
        messagesIncluded: (summary?.content.messagesIncluded ?? 0) + covered.length,
      },
    });
    if (outcome.published) acknowledge("summary", sessionId, outcome.snapshot.id, outcome.snapshot.cutoffSeq);
  });
}

async function undo(owner: OwnerStore, sessionId: string): Promise<void> {
  const { undone } = await owner.snapshots.undoSummary(sessionId).catch(() => ({ undone: undefined }));
  if (undone !== undefined) acknowledge("undone", sessionId, undone.id, 0);
}
