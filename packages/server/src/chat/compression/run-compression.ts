import type { OwnerStore } from "@midfold/store";
import type { Compression } from "../../api/compression.ts";
import type { CompressionEvent } from "../../api/events.ts";
import type { Chat } from "../chat.ts";
import { publishEvent } from "../events/publish-event.ts";
import { type CompressOptions, type CompressOutcome, compressSession } from "./compress-session.ts";
import { type Tracked, type TrackOptions, trackCompression } from "./track-compression.ts";

export type RunOptions = Omit<CompressOptions, "onStart" | "onProgress"> & TrackOptions;

/** Compresses a session, recorded and announced. */
export function runCompression(
  chat: Chat,
  store: OwnerStore,
  start: Compression,
  options: RunOptions,
): Promise<Tracked> {
  return trackCompression(chat, store, start, options, (signal, report) =>
    compressSession(chat, store, start.sessionId, {
      ...options,
      signal,
      onStart: ({ plan, last }) => report.start(plan.cut.messages, plan.cut.foldedTokens, last?.id ?? ""),
      onProgress: (phase, share, text) => report.progress(phase, share, text),
    }),
  );
}

/** The good news, once it is known whether the user wants to be told. */
export async function announceDone(
  chat: Chat,
  store: OwnerStore,
  compression: Compression,
  outcome: CompressOutcome & { readonly status: "done" },
  { notify, onEvent }: { readonly notify: boolean; readonly onEvent?: (event: CompressionEvent) => void },
): Promise<void> {
  const { id: compressionId, sessionId, type: trigger } = compression;
  const event = {
    type: "compression.done",
    sessionId,
    compressionId,
    trigger,
    result: outcome.result,
    notify,
  } as const;
  onEvent?.(event);
  await publishEvent(chat, store, event);
  await publishEvent(chat, store, { type: "summary.changed", sessionId, activeId: outcome.summary.id });
  await publishEvent(chat, store, { type: "session.updated", sessionId });
  await publishEvent(chat, store, { type: "usage.changed", sessionId });
}

export function newCompression(
  chat: Chat,
  id: string,
  sessionId: string,
  type: Compression["type"],
  action: Compression["action"] = "compress",
): Compression {
  return {
    id,
    sessionId,
    type,
    action,
    status: "queued",
    progress: { phase: "waiting", share: 0, attempt: 1 },
    startedAt: new Date(chat.now()).toISOString(),
    finishedAt: null,
    result: null,
    error: null,
    skipReason: null,
  };
}
