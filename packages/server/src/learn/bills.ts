import { LRUCache } from "lru-cache";

/** The size of one answered request of a conversation, and how much the provider said it read. */
export interface Bill {
  /** Bytes that were sent. */
  readonly bytes: number;
  /** Input tokens the provider counted. */
  readonly read: number;
  /** Our own count of them; undefined when they were not counted. */
  readonly counted?: number | undefined;
}

export interface BillReading {
  /** The request grew and the bill did not, so it says nothing about how well we count. */
  readonly suspect: boolean;
  /**
   * Tokens at which the bill stopped growing; undefined while nothing indicates that the upstream cuts conversations.
   */
  readonly plateau: number | undefined;
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
/** A bill that is off by a hundredth up or down: a right one would have risen by far more, and never fallen. */
const jitterShare = 0.025;
const jitterGrowth = 1.08;
const jitterNeeded = 4;
const minGrowth = 1.004;
/** A right bill rises as the request does; one that rises by less than this share of it says nothing about our counts. */
const rightShare = 0.25;
/** Two bills this close are the same one, for requests that differ by this factor. */
const sameTokens = 2;
const differentSize = 1.01;
/** No server cuts to less; a smaller figure is a wrong bill. */
const smallestPlateau = 1_024;
const bytesPerToken = 4;
const keptBills = 12;
const maxConversations = 5_000;

interface Memory {
  /** Requests in a row of which each is longer than the one before. */
  readonly course: readonly Bill[];
  /** Longer than the one before as well, but with folds in between. */
  readonly grown: readonly Bill[];
}

export function createBills(): Bills {
  const conversations = new LRUCache<string, Memory>({ max: maxConversations });
  return {
    add: (conversation, bill) => {
      const { course: before, grown: known } = conversations.get(conversation) ?? { course: [], grown: [] };
      const last = before.at(-1);
      // A request not longer than the last one starts a new series: a branch, a fold, or a client that compacted.
      const grows = last !== undefined && growthOf(last, bill) >= minGrowth;
      const same = last !== undefined && bill.bytes === last.bytes;
      const course = same ? before : grows ? [...before, bill].slice(-keptBills) : [bill];
      // A bill for what was added says nothing about how much is read.
      const isWhole = grows && (bill.bytes - last.bytes) / bytesPerToken <= bill.read / 2;
      const grown = isWhole ? [...known, bill].slice(-keptBills) : known;
      conversations.set(conversation, { course, grown });
      const highest = Math.max(...before.map(({ read }) => read));
      const rise = last === undefined ? 0 : Math.max(sameShare / 2, (growthOf(last, bill) - 1) * rightShare);
      const suspect = grows && bill.read <= highest * (1 + rise);
      return { suspect, plateau: findPlateau(course) ?? (isWhole ? findRepeated(grown, bill) : undefined) };
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
    const growth = growthOf(level[0] as Bill, level.at(-1) as Bill);
    const flat = most - least <= most * sameShare;
    const rough = most - least <= most * roughShare && growth >= roughGrowth;
    if (most - least > most * roughShare) return undefined;
    if (!(flat || rough || isJitter(level, growth, most - least)) || most < highest || least < smallestPlateau)
      continue;
    if (largestStep(level) / bytesPerToken > least / 2) continue;
    return most;
  }
  return undefined;
}

/** Whether the bill wavers around one level, while requests grow by far more than it wavers. */
function isJitter(level: readonly Bill[], growth: number, spread: number): boolean {
  const [first] = level;
  if (first === undefined || level.length < jitterNeeded || growth < jitterGrowth) return false;
  const falls = level.some(({ read }, at) => at > 0 && read < (level[at - 1] as Bill).read - sameTokens);
  return falls && spread <= first.read * jitterShare;
}

/**
 * The same bill, to the token, for requests of different sizes. Where a conversation is folded every few turns, no three
 * requests in a row may be above what the upstream reads; but it cuts them all to the same size.
 */
function findRepeated(grown: readonly Bill[], { read }: Bill): number | undefined {
  if (read < smallestPlateau) return undefined;
  const alike = grown.filter((bill) => Math.abs(bill.read - read) <= sameTokens);
  alike.sort((a, b) => a.bytes - b.bytes);
  let different = 0;
  let before: Bill | undefined;
  for (const bill of alike) {
    if (before !== undefined && growthOf(before, bill) < differentSize) continue;
    different += 1;
    before = bill;
  }
  return different >= needed ? read : undefined;
}

/** How much larger the later request is: in tokens where both were counted, since bytes per token differ by content. */
function growthOf(earlier: Bill, later: Bill): number {
  if (earlier.counted === undefined || later.counted === undefined) return later.bytes / earlier.bytes;
  return later.counted / earlier.counted;
}

function largestStep(course: readonly Bill[]): number {
  let largest = 0;
  for (let i = 1; i < course.length; i++) {
    largest = Math.max(largest, (course[i] as Bill).bytes - (course[i - 1] as Bill).bytes);
  }
  return largest;
}
