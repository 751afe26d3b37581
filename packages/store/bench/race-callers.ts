import { setImmediate } from "node:timers/promises";
import { foldLease, type OwnerStore } from "../src/index.ts";

/** What one process saw of a round. */
export interface RoundReport {
  /** Summaries made, which is what a model would have billed. */
  readonly made: number;
  readonly published: number;
  readonly failures: readonly string[];
}

/**
 * This many requests at once, each of which appends a message and then finds the session over its threshold. The wait
 * in the middle stands for the model.
 */
export async function raceCallers(
  owner: OwnerStore,
  sessionId: string,
  { callers, name }: { readonly callers: number; readonly name: string },
): Promise<RoundReport> {
  let made = 0;
  let published = 0;
  const failures: string[] = [];

  const call = async (index: number) => {
    await owner.messages.append(sessionId, [
      { id: `${name}-${index}`, role: "user", parts: [{ type: "text", text: `racer ${name} ${index}` }] },
    ]);
    const outcome = await owner.leases.runExclusive(foldLease(sessionId), { waitMs: 60_000 }, async (lease) => {
      const { session, summary, messages } = await owner.context.read(sessionId);
      // Someone was faster, and what is left is below the threshold again.
      if (summary !== undefined) return;
      made++;
      for (let turn = 0; turn < 20; turn++) await setImmediate();
      const covered = messages.slice(0, 10);
      const result = await owner.snapshots.publishSummary(sessionId, {
        epoch: session.epoch,
        previousId: undefined,
        fence: lease,
        content: {
          summaryText: "a summary",
          messageRange: { firstMessageId: covered[0]!.id, lastMessageId: covered.at(-1)!.id },
          compressionTimestamp: new Date().toISOString(),
          compressionType: "auto",
          originalTokenCount: 1000,
          summaryTokenCount: 10,
          messagesIncluded: covered.length,
        },
      });
      if (result.published) published++;
      else failures.push(`refused: ${result.reason}`);
    });
    if (!outcome.ran && !outcome.finished) failures.push("gave up waiting");
    // Every caller goes on with a context that fits, whoever made it.
    const { summary } = await owner.context.read(sessionId);
    if (summary === undefined) failures.push("answered without a summary");
  };
  const settled = await Promise.allSettled(Array.from({ length: callers }, (_, index) => call(index)));
  for (const result of settled) if (result.status === "rejected") failures.push(String(result.reason));
  return { made, published, failures };
}
