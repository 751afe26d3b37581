import { randomUUID } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { compressionKey } from "../turn/running-work.ts";
import { enqueueCompression } from "./compression-jobs.ts";
import { findCompression, listCompressions as readCompressions, saveCompression } from "./compression-state.ts";
import { nothingToFold, planByHand, previewCompression as preview } from "./preview-compression.ts";
import { newCompression } from "./track-compression.ts";

export const previewCompression: Handler<"previewCompression"> = ({ chat, store, params, body }) =>
  preview(chat, store, params.sessionId, body);

export const startCompression: Handler<"startCompression"> = async ({ chat, store, params, body }) => {
  const { sessionId } = params;
  const { loaded, selected } = await planByHand(chat, store, sessionId, body);
  if (selected.count === 0) {
    throw new MidfoldError("VALIDATION_ERROR", nothingToFold(loaded), { details: { reason: "nothing-to-fold" } });
  }
  return enqueueCompression(chat, store, newCompression(chat, randomUUID(), sessionId, "manual"), body);
};

export const listCompressions: Handler<"listCompressions"> = async ({ store, params }) => {
  await store.sessions.get(params.sessionId);
  return { compressions: [...(await readCompressions(store, params.sessionId))] };
};

export const getCompression: Handler<"getCompression"> = async ({ store, params }) => find(store, params);

export const cancelCompression: Handler<"cancelCompression"> = async ({ chat, store, params }) => {
  const compression = await find(store, params);
  if (compression.status !== "queued" && compression.status !== "running") return compression;
  const here = chat.running.abort(compressionKey(compression.id));
  if (here === 0) await publishEvent(chat, store, { type: "compression.cancel", ...params });
  if (compression.status === "running") return { ...compression, status: "cancelled" };
  // Still waiting for a worker: whoever picks it up finds it cancelled.
  const cancelled = {
    ...compression,
    status: "cancelled",
    progress: null,
    finishedAt: new Date(chat.now()).toISOString(),
  } as const;
  await saveCompression(store, cancelled);
  return cancelled;
};

async function find(
  store: Parameters<typeof findCompression>[0],
  { sessionId, compressionId }: { readonly sessionId: string; readonly compressionId: string },
) {
  await store.sessions.get(sessionId);
  const found = await findCompression(store, sessionId, compressionId);
  if (found !== undefined) return found;
  throw new MidfoldError("NOT_FOUND", "There is no compression with this id; only the last ones are kept.");
}
