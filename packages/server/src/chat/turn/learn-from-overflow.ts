import type { MidfoldError } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Chat } from "../chat.ts";
import type { PreparedTurn } from "./prepare-turn.ts";

/** The provider said how large its window really is: remember it, for every later turn and replica. */
export async function learnFromOverflow(
  chat: Chat,
  store: OwnerStore,
  { upstream, model, session }: PreparedTurn,
  error: MidfoldError,
): Promise<void> {
  const limit = Number(error.details.limit ?? error.details.window);
  chat.log.warn({ sessionId: session.id, model, limit, code: error.code }, "the provider found the request too long");
  if (!Number.isSafeInteger(limit) || limit < 256) return;
  await store.limits.put({
    upstream: upstream.provider,
    model,
    contextWindow: limit,
    maxOutputTokens: undefined,
    evidence: error.message.slice(0, 300),
  });
}
