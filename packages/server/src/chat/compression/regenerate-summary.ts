import { MidfoldError } from "@midfold/core";
import { summaryLimit } from "@midfold/core/chat";
import { compressionLease, type MessageRecord, type OwnerStore, type SummaryRecord } from "@midfold/store";
import type { Compression } from "../../api/compression.ts";
import type { Chat } from "../chat.ts";
import { loadContext, weighSource } from "../context/load-context.ts";
import { isSendable, toMessage } from "../context/to-message.ts";
import { chooseSummarizer } from "./choose-summarizer.ts";
import { type CompressOptions, type CompressOutcome, summarySettings } from "./compress-session.ts";
import { extraOf } from "./summary-extra.ts";
import { firstCharacters, readExtra } from "./to-api-summary.ts";
import { type Tracked, trackCompression } from "./track-compression.ts";
import { writeSummary } from "./write-summary.ts";

type Wish = Pick<CompressOptions, "instructions" | "summaryModel" | "style" | "maxSummaryTokens" | "signal">;

/** Writes the active summary again from the same originals and the summary before it, as a new version. */
export async function regenerateSummary(
  chat: Chat,
  store: OwnerStore,
  compression: Compression,
  summaryId: string,
  wish: Wish,
): Promise<Tracked> {
  const { sessionId } = compression;
  return trackCompression(
    chat,
    store,
    compression,
    { signal: wish.signal },
    async (signal, report): Promise<CompressOutcome> => {
      const lease = { ttlMs: 30_000, waitMs: 120_000, signal };
      const outcome = await store.leases.runExclusive(
        compressionLease(sessionId),
        lease,
        async (fence, lost): Promise<CompressOutcome> => {
          const startedAt = chat.now();
          const loaded = await loadContext(chat, store, sessionId);
          const { source, model } = loaded;
          const active = source.summary;
          if (active?.id !== summaryId) throw notActive();
          const extra = readExtra(active);
          const base =
            extra.baseId === null ? undefined : ((await store.snapshots.get(sessionId, extra.baseId)) as SummaryRecord);
          const folded = await readFolded(store, sessionId, base?.cutoffSeq ?? 0, active.cutoffSeq);
          await report.start(
            folded.length,
            active.content.originalTokenCount,
            active.content.messageRange.lastMessageId,
          );
          const messages = folded.map(toMessage);
          const weights = messages.map((message) => model.counter.countMessage(message));
          const written = await writeSummary(
            chat,
            {
              messages,
              weights,
              covers: active.content.messagesIncluded,
              previous: base?.content.summaryText,
              maxTokens: summaryLimit(sum(weights), wish.maxSummaryTokens),
              settings: summarySettings(model.settings, wish.style),
              instructions: wish.instructions,
            },
            {
              model,
              choice: chooseSummarizer(chat, model, wish.summaryModel),
              signal: AbortSignal.any([signal, lost]),
              onProgress: (share, text) => report.progress("summarizing", share, text),
            },
          );
          const published = await store.snapshots.publishSummary(sessionId, {
            content: {
              ...active.content,
              summaryText: written.text,
              summaryTokenCount: written.tokens,
              compressionTimestamp: new Date(chat.now()).toISOString(),
              compressionType: "manual",
            },
            extra: extraOf(written, folded, {
              foldId: extra.foldId,
              baseId: extra.baseId,
              instructions: wish.instructions,
              durationMs: chat.now() - startedAt,
            }),
            epoch: source.session.epoch,
            previousId: active.id,
            fence,
          });
          if (!published.published) return { status: "skipped", reason: "superseded" };
          const after = await weighSource(chat, { ...source, summary: published.snapshot }, model);
          const before = loaded.weights.total;
          const reduction = before - after.weights.total;
          return {
            status: "done",
            summary: published.snapshot,
            limited: false,
            result: {
              summaryId: published.snapshot.id,
              preview: firstCharacters(written.text),
              messagesSummarized: folded.length,
              tokensBefore: before,
              tokensAfter: after.weights.total,
              reductionTokens: reduction,
              reductionPercent: before === 0 ? 0 : Math.round((1000 * reduction) / before) / 10,
              durationMs: Math.max(0, chat.now() - startedAt),
              costUsd: written.costUsd,
              fellBack: false,
              warnings: [],
            },
          };
        },
      );
      return outcome.ran ? outcome.result : { status: "skipped", reason: "running-elsewhere" };
    },
  );
}

export function notActive(): MidfoldError {
  return new MidfoldError("VERSION_CONFLICT", "This summary is no longer the active one. Reload and try again.");
}

async function readFolded(
  store: OwnerStore,
  sessionId: string,
  after: number,
  through: number,
): Promise<MessageRecord[]> {
  const records: MessageRecord[] = [];
  for (let from = after; from < through; ) {
    const page = await store.messages.list(sessionId, { after: from, before: through + 1, limit: 1000 });
    records.push(...page.filter(isSendable));
    const last = page.at(-1);
    if (last === undefined) break;
    from = last.seq;
  }
  return records;
}

function sum(weights: readonly number[]): number {
  return weights.reduce((total, weight) => total + weight, 0);
}
