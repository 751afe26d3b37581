import { getCounter, type Message, type Part } from "@midfold/core";
import type { Transcript } from "@midfold/core/formats";
import type { MessageDraft, OwnerStore, SessionRecord } from "@midfold/store";
import type { Chat } from "../chat.ts";
import { countAhead } from "../context/count-ahead.ts";
import { toApiParts } from "../sessions/to-api-parts.ts";
import { assertSizes } from "../turn/assert-sizes.ts";

/** Messages per transaction: few, since each batch is handed over and written in one go. */
const batch = 100;

export interface StoreTranscriptOptions {
  readonly title: string;
  readonly model: string;
}

/** Makes a session of a transcript: every message counted and stored, in order. All of it or, on failure, none. */
export async function storeTranscript(
  chat: Chat,
  store: OwnerStore,
  transcript: Pick<Transcript, "messages" | "times" | "system">,
  { title, model }: StoreTranscriptOptions,
): Promise<SessionRecord> {
  assertSizes(transcript.messages);
  const session = await store.sessions.create({
    title: title.slice(0, 500),
    model,
    ...(transcript.system === undefined ? {} : { systemPrompt: transcript.system }),
  });
  const counter = getCounter(model);
  await countAhead(chat.counts, counter, transcript.messages);
  const drafts = transcript.messages.map((message, index) =>
    toDraft(message, transcript.times[index], counter.countMessage(message)),
  );
  try {
    for (let start = 0; start < drafts.length; start += batch) {
      await store.messages.append(session.id, drafts.slice(start, start + batch));
    }
  } catch (error) {
    await store.sessions.remove(session.id);
    throw error;
  }
  return store.sessions.get(session.id);
}

function toDraft({ role, parts, name }: Message, createdAt: number | undefined, tokens: number): MessageDraft {
  return {
    // Words of a system role inside a foreign file must not gain the authority of a system prompt here.
    role: role === "system" ? "user" : role,
    parts: toApiParts(parts) as Part[],
    ...(name === undefined ? {} : { name }),
    ...(role === "assistant" ? { outputTokens: tokens } : { inputTokens: tokens }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}
