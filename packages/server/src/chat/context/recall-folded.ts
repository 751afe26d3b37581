import { type Message, textOf } from "@midfold/core";
import { asks, buildArchive, excerptTokens, recallExcerpts, unaskedShare } from "@midfold/core/recall";
import type { OwnerStore } from "@midfold/store";
import { withExcerpts } from "./build-context.ts";
import { findFolded } from "./find-folded.ts";
import { historyBudget } from "./history-budget.ts";
import type { LoadedContext } from "./load-context.ts";

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
