import { createUnorderedList } from "../unordered-list.ts";
import type { RequestRecord } from "./request-record.ts";

export type RequestListener = (event: "request-start" | "request-end", record: RequestRecord) => void;

/** Where ended requests also go, when there is a store. Must never wait and never throw. */
export type RequestSink = (record: RequestRecord) => void;

export interface RequestLogOptions {
  /** Records kept in memory; the oldest go first. */
  readonly capacity: number;
  /** Of those, how many keep their message content (only while capture is on). */
  readonly contentCapacity: number;
  /** How many atoms of plans are kept over all records: a long conversation has thousands, and comes again and again. */
  readonly atomCapacity: number;
  readonly sink?: RequestSink;
}

/** Every request, newest last, in bounded memory, with a live feed. Readers filter by tenant. */
export interface RequestLog {
  start(record: RequestRecord): void;
  end(record: RequestRecord): void;
  /** Adds records of an earlier run, newest first, before those of this one, as far as there is room. */
  recall(records: readonly RequestRecord[]): void;
  /** Newest first. */
  records(): Iterable<RequestRecord>;
  get(id: string): RequestRecord | undefined;
  running(): Iterable<RequestRecord>;
  subscribe(listener: RequestListener): () => void;
  readonly totals: { readonly requests: number; readonly folded: number; readonly failed: number };
}

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const ring: (RequestRecord | undefined)[] = new Array(options.capacity);
  const running = createUnorderedList<RequestRecord>();
  const withContent: RequestRecord[] = [];
  const withAtoms: RequestRecord[] = [];
  let atoms = 0;
  const listeners = new Set<RequestListener>();
  const totals = { requests: 0, folded: 0, failed: 0 };
  let next = 0;

  const keepAtoms = (record: RequestRecord) => {
    const count = atomsOf(record);
    if (count === 0) return;
    withAtoms.push(record);
    atoms += count;
    while (atoms > options.atomCapacity || withAtoms.length > options.capacity) {
      const oldest = withAtoms.shift();
      if (oldest === undefined) break;
      atoms -= atomsOf(oldest);
      dropAtoms(oldest);
    }
  };
  const tell: RequestListener = (event, record) => {
    for (const listener of listeners) listener(event, record);
  };
  function* recorded(): Generator<RequestRecord> {
    for (let i = next - 1; i >= Math.max(0, next - options.capacity); i--) {
      const record = ring[i % options.capacity];
      if (record !== undefined) yield record;
    }
  }
  return {
    totals,
    start: (record) => {
      running.add(record);
      if (listeners.size > 0) tell("request-start", record);
    },
    end: (record) => {
      running.remove(record);
      totals.requests += 1;
      if (record.outcome === "folded" || record.outcome === "reused") totals.folded += 1;
      if (record.state === "failed") totals.failed += 1;
      ring[next % options.capacity] = record;
      next += 1;
      if (record.content === undefined) dropContent(record);
      else if (withContent.push(record) > options.contentCapacity) dropContent(withContent.shift());
      options.sink?.(record);
      keepAtoms(record);
      if (listeners.size > 0) tell("request-end", record);
    },
    recall: (records) => {
      const own = [...recorded()];
      const known = new Set(own.map(({ id }) => id));
      const all = [...own, ...records.filter(({ id }) => !known.has(id))].slice(0, options.capacity).reverse();
      for (const [slot, record] of all.entries()) ring[slot] = record;
      next = all.length;
    },
    records: recorded,
    get: (id) => ring.find((record) => record?.id === id) ?? running.items().find((record) => record.id === id),
    running: () => running.items().toSorted((left, right) => left.at - right.at),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The texts of a fold are shown with the content or not at all; thousands of them would take tens of megabytes. */
function dropContent(record: RequestRecord | undefined): void {
  if (record === undefined) return;
  record.content = undefined;
  record.frames = [];
}

const atomsOf = ({ plan }: RequestRecord) => plan?.atoms.length ?? 0;

/** Keeps of a plan what the store keeps too: the reasons, without the decision about every message. */
function dropAtoms(record: RequestRecord): void {
  if (record.plan !== undefined) record.plan = { ...record.plan, atoms: [], decisions: [], spans: [], cuts: [] };
}
