import type { MessageRecord, OwnerStore } from "@midfold/store";

const pageSize = 1000;

/** The messages after one sequence number and up to another, oldest first; without them all of the session. */
export async function readMessages(
  store: OwnerStore,
  sessionId: string,
  after = 0,
  through?: number,
): Promise<readonly MessageRecord[]> {
  const before = through === undefined ? {} : { before: through + 1 };
  const records: MessageRecord[] = [];
  for (let from = after; ; ) {
    const page = await store.messages.list(sessionId, { after: from, ...before, limit: pageSize });
    records.push(...page);
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return records;
    from = last.seq;
  }
}
