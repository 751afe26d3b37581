import { type Message, textOf } from "@midfold/core";
import { askedStarts, asks, buildArchive, excerptTokens, recallExcerpts, unaskedShare } from "@midfold/core/recall";
import type { MessageRecord, OwnerStore } from "@midfold/store";
import { withExcerpts } from "./build-context.ts";
import { historyBudget } from "./history-budget.ts";
import type { LoadedContext } from "./load-context.ts";
import { isSendable, toMessage } from "./to-message.ts";

/**
 * Share of the size at which a conversation is folded. Excerpts stay with their question, so more of them would cause
 * the next fold sooner.
 */
const share = 0.05;
const leastAsked = 200;

/**
 * Adds excerpts of folded messages that bear on the new message, at its head. A summary loses things; the originals are
 * still in the store.
 */
export async function withRecalled(store: OwnerStore, loaded: LoadedContext): Promise<LoadedContext> {
  const { source, context, weights, model } = loaded;
  const { summary } = source;
  const last = context.entries.at(-1);
  if (summary === undefined || last?.kind !== "draft" || last.message.role !== "user") return loaded;
  const question = textOf(last.message);
  const maxTokens = roomFor(question, loaded);
  if (maxTokens < excerptTokens.least) return loaded;
  const folded = await findFolded(store, source.session.id, summary.cutoffSeq, question);
  const { text } = recallExcerpts(buildArchive(folded), question, { counter: model.counter, maxTokens });
  if (text === "") return loaded;
  const excerpts: Message = { role: "user", parts: [{ type: "text", text }] };
  const sent = withExcerpts(last.message, excerpts);
  const added = model.counter.countMessage(sent) - model.counter.countMessage(last.message);
  return {
    ...loaded,
    context: {
      ...context,
      entries: context.entries.toSpliced(-1, 0, { kind: "recalled", message: excerpts }),
      messages: context.messages.with(-1, sent),
    },
    weights: { ...weights, entries: weights.entries.toSpliced(-1, 0, added), total: weights.total + added },
  };
}

/** What was recalled for the new message, if anything. */
export function recalledNow({ context }: LoadedContext): string | undefined {
  const entry = context.entries.at(-2);
  return entry?.kind === "recalled" && context.entries.at(-1)?.kind === "draft" ? textOf(entry.message) : undefined;
}

function roomFor(question: string, loaded: LoadedContext): number {
  const { requestLimit, usable } = historyBudget(loaded);
  const wanted = Math.min(excerptTokens.most, Math.max(leastAsked, Math.floor(requestLimit * share)));
  const free = usable - loaded.weights.total;
  return Math.min(asks(question) ? wanted : Math.floor(wanted * unaskedShare), free);
}

/** The newest folded messages are all read, up to this many messages and characters. */
const newestMessages = 500;
const newestCharacters = 200_000;
/**
 * Of older ones, those that contain a word of the question: at most this many words, messages per word, and messages in
 * all.
 */
const mostTerms = 12;
const hitsPerTerm = 20;
const mostHits = 20;

/**
 * Folded messages that may bear on a question, each at the index of its sequence number, by which an excerpt names it;
 * all other indices hold empty messages. The work does not grow with the length of the conversation.
 */
async function findFolded(
  store: OwnerStore,
  sessionId: string,
  cutoffSeq: number,
  question: string,
): Promise<readonly Message[]> {
  const newest = await readNewest(store, sessionId, cutoffSeq);
  const oldest = newest.at(-1)?.seq ?? 1;
  const older = oldest > 1 ? await findOlder(store, sessionId, oldest, question) : [];
  const places: Message[] = Array.from({ length: cutoffSeq + 1 }, () => silent);
  for (const record of [...newest, ...older]) if (isSendable(record)) places[record.seq] = toMessage(record);
  return places;
}

const silent: Message = { role: "user", parts: [] };

/** Newest first. */
async function readNewest(store: OwnerStore, sessionId: string, cutoffSeq: number): Promise<readonly MessageRecord[]> {
  const records = await store.messages.list(sessionId, {
    before: cutoffSeq + 1,
    limit: newestMessages,
    newestFirst: true,
  });
  let left = newestCharacters;
  const end = records.findIndex((record) => {
    left -= sizeOf(record);
    return left < 0;
  });
  return end < 0 ? records : records.slice(0, Math.max(1, end));
}

function sizeOf({ parts }: Pick<MessageRecord, "parts">): number {
  return parts.reduce((sum, part) => {
    if (part.type === "tool-call") return sum + part.input.length;
    if (part.type === "tool-result") return sum + sizeOf({ parts: part.content });
    return sum + ("text" in part ? (part.text?.length ?? 0) : 0);
  }, 0);
}

/**
 * Messages before a sequence that contain most words of the question, with their neighbours, since an answer repeats
 * few of them.
 */
async function findOlder(
  store: OwnerStore,
  sessionId: string,
  before: number,
  question: string,
): Promise<readonly MessageRecord[]> {
  const found = new Map<number, number>();
  // The store finds words by how they begin, which other forms of a word have in common.
  for (const start of [...askedStarts(question)].slice(0, mostTerms)) {
    const { items } = await store.messages.search(start, { sessionId, limit: hitsPerTerm });
    for (const { message } of items) {
      if (message.seq < before) found.set(message.seq, (found.get(message.seq) ?? 0) + 1);
    }
  }
  const best = [...found].sort(([seq, words], [otherSeq, others]) => others - words || otherSeq - seq);
  const records: MessageRecord[] = [];
  for (const [seq] of best.slice(0, mostHits)) {
    records.push(...(await store.messages.list(sessionId, { after: seq - 2, before: Math.min(seq + 2, before) })));
  }
  return records;
}
