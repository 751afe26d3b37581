import { LRUCache } from "lru-cache";

/** The size of one answered request of a conversation, and how much the provider said it read. */
export interface Bill {
  /** Bytes that were sent. */
  readonly bytes: number;
  /** Input tokens the provider counted. */
  readonly read: number;
}

export interface BillReading {
  /** The request grew and the bill did not, so it says nothing about how well we count. */
  readonly suspect: boolean;
  /**
   * Tokens at which the bill stopped growing; undefined while nothing indicates that the upstream cuts conversations.
   */
  readonly plateau: number | undefined;
  /** It bills no more than what the request grew by: the rest was cached, so it was read. */
  readonly addedOnly: boolean;
}

/** The bills of each conversation in order: only their development shows whether an upstream cuts silently. */
export interface Bills {
  add(conversation: string, bill: Bill): BillReading;
}

/** Growing requests in a row with the same bill that make a plateau. */
const needed = 3;
const sameShare = 0.005;
/** When whole messages are cut the bill varies, so more growth is needed as evidence. */
const roughShare = 0.12;
const roughGrowth = 1.25;
const minGrowth = 1.004;
/** No server cuts to less; a smaller figure is a wrong bill. */
const smallestPlateau = 1_024;
const bytesPerToken = 4;
const fewestBytesPerToken = 2;
const keptBills = 12;
const maxConversations = 5_000;

export function createBills(): Bills {
  const conversations = new LRUCache<string, readonly Bill[]>({ max: maxConversations });
  return {
    add: (conversation, bill) => {
      const before = conversations.get(conversation) ?? [];
      const last = before.at(-1);
      // A request not longer than the last one starts a new series: a branch, a fold, or a client that compacted.
      const grows = last !== undefined && bill.bytes >= last.bytes * minGrowth;
      const same = last !== undefined && bill.bytes === last.bytes;
      const course = same ? before : grows ? [...before, bill].slice(-keptBills) : [bill];
      conversations.set(conversation, course);
      const suspect = last !== undefined && grows && bill.read <= last.read * (1 + sameShare / 2);
      const addedOnly = grows && bill.read <= (bill.bytes - last.bytes) / fewestBytesPerToken;
      return { suspect, plateau: findPlateau(course), addedOnly };
    },
  };
}

/**
 * The level at which the bill stays while requests grow. A provider that bills only uncached tokens also bills about
 * the same for every turn, but no more than the turn added; a plateau is far above that.
 */
function findPlateau(course: readonly Bill[]): number | undefined {
  if (course.length < needed) return undefined;
  const highest = Math.max(...course.map(({ read }) => read));
  for (let from = course.length - needed; from >= 0; from--) {
    const level = course.slice(from);
    const reads = level.map(({ read }) => read);
    const [least, most] = [Math.min(...reads), Math.max(...reads)];
    const growth = (level.at(-1) as Bill).bytes / (level[0] as Bill).bytes;
    const flat = most - least <= most * sameShare;
    const rough = most - least <= most * roughShare && growth >= roughGrowth;
    if (most - least > most * roughShare) return undefined;
    if (!(flat || rough) || most < highest || least < smallestPlateau) continue;
    if (largestStep(level) / bytesPerToken > least / 2) continue;
    return most;
  }
  return undefined;
}

function largestStep(course: readonly Bill[]): number {
  let largest = 0;
  for (let i = 1; i < course.length; i++) {
    largest = Math.max(largest, (course[i] as Bill).bytes - (course[i - 1] as Bill).bytes);
  }
  return largest;
}
