import { createHash, randomUUID } from "node:crypto";
import { isMidfoldError, MidfoldError, type Part } from "@midfold/core";
import type { Lease, MessageDraft, MessageRecord, SessionRecord } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { countAhead } from "../context/count-ahead.ts";
import { modelOf } from "../context/load-context.ts";
import type { ChatModel } from "../models/chat-models.ts";
import { resolveChatModel } from "../settings/resolve-chat-model.ts";
import { assertSizes } from "./assert-sizes.ts";
import { replyLease, replyLeaseMs } from "./settle-abandoned.ts";

/** The start of a turn: the stored user message, and the empty reply. */
export interface PreparedTurn {
  readonly session: SessionRecord;
  readonly upstream: ChatModel;
  readonly model: string;
  readonly user: MessageRecord;
  readonly reply: MessageRecord;
  /** Undefined when the reply is already there: the message was sent before under the same key. */
  readonly lease: Lease | undefined;
  readonly maxOutputTokens: number | undefined;
  readonly fold: "auto" | "off";
}

export interface TurnInput {
  /** A new message, or a stored one to answer again. */
  readonly say:
    | { readonly parts: readonly Part[]; readonly key?: string | undefined }
    | { readonly again: MessageRecord };
  readonly model?: string | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly fold?: "auto" | "off";
}

/**
 * Stores the user's message and an empty reply in one step, so that neither exists without the other, replies of
 * parallel turns follow their questions, and no summary covers a question that is still being answered.
 */
export async function prepareTurn(chat: Chat, sessionId: string, input: TurnInput): Promise<PreparedTurn> {
  if ("parts" in input.say) assertSizes([input.say]);
  const session = await chat.store.sessions.get(sessionId);
  const model = input.model ?? modelOf(chat, session);
  const upstream = chat.models.find(model);
  const { counter } = await resolveChatModel(chat, model, sessionId);
  const { say } = input;
  const ids = "again" in say ? undefined : idsOf(say.key);
  const placeholder: MessageDraft = {
    id: ids?.reply ?? randomUUID(),
    role: "assistant",
    parts: [],
    model,
    status: "streaming",
  };
  let user: MessageRecord;
  let reply: MessageRecord;
  if ("again" in say) {
    user = say.again;
    [reply] = (await chat.store.messages.append(sessionId, [placeholder])) as [MessageRecord];
  } else {
    const message = { role: "user", parts: say.parts } as const;
    await countAhead(chat.counts, counter, [message]);
    const inputTokens = counter.countMessage(message);
    const draft: MessageDraft = { ...message, id: ids?.user ?? randomUUID(), inputTokens };
    [user, reply] = (await chat.store.messages.append(sessionId, [draft, placeholder])) as [
      MessageRecord,
      MessageRecord,
    ];
  }
  const lease =
    reply.status === "streaming"
      ? await chat.store.leases.acquire(replyLease(sessionId, reply.id), { ttlMs: replyLeaseMs })
      : undefined;
  if (reply.status === "streaming" && lease === undefined) {
    throw new MidfoldError("VERSION_CONFLICT", "This message is being answered already.", {
      details: { messageId: reply.id },
    });
  }
  const { maxOutputTokens, fold = "auto" } = input;
  return { session, upstream, model, user, reply, lease, maxOutputTokens, fold };
}

/** Renews the reply's lease while it is written. Returns a function that stops this. */
export function keepLease(chat: Chat, lease: Lease): () => Promise<void> {
  const timer = setInterval(() => {
    chat.store.leases.renew(lease, replyLeaseMs).catch((error: unknown) => {
      if (!isMidfoldError(error, "STORE_UNAVAILABLE"))
        chat.log.warn({ err: error }, "a reply's lease could not be renewed");
    });
  }, replyLeaseMs / 3);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await chat.store.leases.release(lease).catch(() => undefined);
  };
}

/** The same key gives the same ids, and the store stores an id only once. */
function idsOf(key: string | undefined): { readonly user: string; readonly reply: string } | undefined {
  if (key === undefined) return undefined;
  const hash = createHash("sha256").update(key).digest("hex").slice(0, 24);
  return { user: `k${hash}`, reply: `r${hash}` };
}
