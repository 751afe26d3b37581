import { getCounter, isMidfoldError } from "@midfold/core";
import { chatBudget } from "@midfold/core/budget";
import type { OwnerStore, SessionRecord } from "@midfold/store";
import type { Session } from "../../api/session.ts";
import type { ImportResult } from "../../api/transfer.ts";
import type { Chat } from "../chat.ts";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import type { ChatModel } from "../models/chat-models.ts";
import { thread } from "../playground/handle-playground.ts";
import { toApiSession } from "../sessions/to-api-session.ts";
import { untitled } from "../sessions/untitled.ts";
import { modelForNewSessions } from "../settings/list-models.ts";
import { resolveChatModel } from "../settings/resolve-chat-model.ts";
import { exampleConversation } from "./example-conversation.ts";
import { exportJson } from "./export-json.ts";
import { exportMarkdown } from "./export-markdown.ts";
import { importExport, readFile } from "./import-export.ts";
import { storeTranscript } from "./store-transcript.ts";

/** Shorter files are read in less time than it takes to hand them over. */
const shortChars = 100_000;

export const importSession: Handler<"importSession"> = async ({ chat, store, body, signal }) => {
  const { content, format } = body;
  const isShort = content.length < shortChars;
  const read = isShort ? readFile(content, format) : await thread.run("readFile", { content, format }, { signal });
  if ("own" in read) {
    const { own } = read;
    const session = await importExport(chat, store, own, body);
    const told = { format: "midfold", imported: own.messages.length, skipped: 0, warnings: [] } as const;
    return tell(chat, store, [session], { ...told, warnings: [] });
  }
  const { transcripts, warnings } = read;
  const defaultModel = await modelForNewSessions(chat, store);
  const sessions: SessionRecord[] = [];
  for (const transcript of transcripts) {
    const model = body.model ?? usable(chat, transcript.model) ?? defaultModel;
    const title = body.title ?? transcript.title ?? body.fileName ?? untitled;
    sessions.push(await storeTranscript(chat, store, transcript, { title, model }));
  }
  const sum = (count: (transcript: (typeof transcripts)[number]) => number) =>
    transcripts.reduce((total, transcript) => total + count(transcript), 0);
  return tell(chat, store, sessions, {
    format: transcripts[0]?.format ?? body.format,
    imported: sum(({ messages }) => messages.length),
    skipped: sum(({ skipped }) => skipped),
    warnings: [...transcripts.flatMap((transcript) => transcript.warnings), ...warnings],
  });
};

export const exportSession: Handler<"exportSession"> = async ({ chat, store, params, query }) => {
  const session = await store.sessions.get(params.sessionId);
  const exported = await exportJson(chat, store, session);
  const markdown = query.format === "markdown";
  const name =
    session.title
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-+|-+$/g, "")
      .slice(0, 60) || "conversation";
  const file = `${name}.${markdown ? "md" : "json"}`;
  return new Response(markdown ? exportMarkdown(exported) : JSON.stringify(exported, null, 2), {
    headers: {
      "content-type": markdown ? "text/markdown; charset=utf-8" : "application/json",
      // The plain name for old clients, the real one for those that read RFC 6266.
      "content-disposition": `attachment; filename="conversation.${markdown ? "md" : "json"}"; filename*=UTF-8''${encodeURIComponent(file)}`,
    },
  });
};

export const loadExample: Handler<"loadExample"> = async ({ chat, store, body }) => {
  const { title, messages } = exampleConversation(body.language);
  const tokens = getCounter("gpt-4o").countMessages(messages);
  const demo = chat.models.exampleModel(tokens);
  const model = body.model ?? (reaches(chat, demo)?.demo === true ? demo : chat.models.defaultModel);
  const session = await storeTranscript(chat, store, { messages, times: [] }, { title, model });
  if (reaches(chat, model)?.demo !== true) {
    // A real model's window would take weeks to fill: in this session it is believed to be as small as the demo's.
    const { info } = await resolveChatModel(chat, store, model);
    const window = overflowing(tokens, info.maxOutput);
    await store.settings.set({ kind: "session", sessionId: session.id }, { window });
  }
  await publishEvent(chat, store, { type: "session.created", sessionId: session.id });
  return toApiSession(chat, store, session);
};

/** The largest window that a conversation of this size does not fit. */
function overflowing(tokens: number, maxOutput: number): number {
  let window = tokens * 4;
  while (window > 1024 && chatBudget({ window, maxOutput }).budget >= tokens) window -= 128;
  return window;
}

async function tell(
  chat: Chat,
  store: OwnerStore,
  records: readonly SessionRecord[],
  result: Omit<ImportResult, "session" | "sessions">,
): Promise<ImportResult> {
  const sessions: Session[] = [];
  for (const { id } of records) {
    await publishEvent(chat, store, { type: "session.created", sessionId: id });
    sessions.push(await toApiSession(chat, store, await store.sessions.get(id)));
  }
  return { session: sessions[0] as Session, sessions, ...result };
}

/** The model the conversation was held with, if this server can reach it. */
function usable(chat: Chat, model: string | undefined): string | undefined {
  return model !== undefined && reaches(chat, model)?.demo === false ? model : undefined;
}

function reaches(chat: Chat, model: string): ChatModel | undefined {
  try {
    return chat.models.find(model);
  } catch (error) {
    if (isMidfoldError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}
