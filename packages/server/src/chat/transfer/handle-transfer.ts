import { getCounter, type Message, type Part, textOf } from "@midfold/core";
import { chatBudget } from "@midfold/core/budget";
import type { Transcript } from "@midfold/core/formats";
import type { MessageDraft, SessionRecord } from "@midfold/store";
import type { ApiPart } from "../../api/message.ts";
import type { Session } from "../../api/session.ts";
import type { ImportResult, SessionExport } from "../../api/transfer.ts";
import type { Chat } from "../chat.ts";
import { countAhead } from "../context/count-ahead.ts";
import { modelOf } from "../context/load-context.ts";
import { readMessages } from "../context/read-messages.ts";
import { endingKind } from "../context/to-message.ts";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { thread } from "../playground/handle-playground.ts";
import { toApiParts } from "../sessions/to-api-parts.ts";
import { toApiSession } from "../sessions/to-api-session.ts";
import { untitled } from "../sessions/untitled.ts";
import { modelForNewSessions } from "../settings/list-models.ts";
import { reach, resolveChatModel } from "../settings/resolve-chat-model.ts";
import { assertSizes } from "../turn/assert-sizes.ts";
import { exampleConversation } from "./example-conversation.ts";
import { importExport, messagesPerWrite, readFile, systemNote } from "./import-export.ts";

/** Shorter files are read in less time than sending them to a thread takes. */
const shortChars = 100_000;

const notTaken =
  "The file's system prompt is kept as a hidden note and is not in force; import it with takeSystem to use it.";

export const importSession: Handler<"importSession"> = async ({ chat, body, signal }) => {
  const { content, format } = body;
  const isShort = content.length < shortChars;
  const read = isShort ? readFile(content, format) : await thread.run("readFile", { content, format }, { signal });
  if ("own" in read) {
    const { own } = read;
    const session = await importExport(chat, own, body);
    const warnings = own.system === null || body.takeSystem ? [] : [notTaken];
    return tell(chat, [session], { format: "midfold", imported: own.messages.length, skipped: 0, warnings });
  }
  const { transcripts, warnings } = read;
  const defaultModel = await modelForNewSessions(chat);
  const sessions: SessionRecord[] = [];
  for (const transcript of transcripts) {
    const model = body.model ?? usable(chat, transcript.model) ?? defaultModel;
    const title = body.title ?? transcript.title ?? body.fileName ?? untitled;
    sessions.push(await storeTranscript(chat, transcript, { title, model, takeSystem: body.takeSystem }));
  }
  const sum = (count: (transcript: (typeof transcripts)[number]) => number) =>
    transcripts.reduce((total, transcript) => total + count(transcript), 0);
  return tell(chat, sessions, {
    format: transcripts[0]?.format ?? body.format,
    imported: sum(({ messages }) => messages.length),
    skipped: sum(({ skipped }) => skipped),
    warnings: [
      ...transcripts.flatMap((transcript) => transcript.warnings),
      ...warnings,
      ...(body.takeSystem || transcripts.every(({ system }) => system === undefined) ? [] : [notTaken]),
    ],
  });
};

export const exportSession: Handler<"exportSession"> = async ({ chat, params, query }) => {
  const session = await chat.store.sessions.get(params.sessionId);
  const exported = await exportJson(chat, session);
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
      // The plain name is for old clients, the real one for those that support RFC 6266.
      "content-disposition": `attachment; filename="conversation.${markdown ? "md" : "json"}"; filename*=UTF-8''${encodeURIComponent(file)}`,
    },
  });
};

export const loadExample: Handler<"loadExample"> = async ({ chat, body }) => {
  const { title, messages } = exampleConversation(body.language);
  const tokens = getCounter("gpt-4o").countMessages(messages);
  const demo = chat.models.exampleModel(tokens);
  const model = body.model ?? (reach(chat.models, demo)?.demo === true ? demo : chat.models.defaultModel);
  const session = await storeTranscript(chat, { messages, times: [] }, { title, model, takeSystem: false });
  if (reach(chat.models, model)?.demo !== true) {
    // Filling a real model's window would take weeks, so this session gets a window as small as the demo model's.
    const { info } = await resolveChatModel(chat, model);
    const window = overflowing(tokens, info.maxOutput);
    await chat.store.settings.set({ kind: "session", sessionId: session.id }, { window });
  }
  await publishEvent(chat, { type: "session.created", sessionId: session.id });
  return toApiSession(chat, session);
};

/** The largest window that a conversation of this size does not fit. */
function overflowing(tokens: number, maxOutput: number): number {
  let window = tokens * 4;
  while (window > 1024 && chatBudget({ window, maxOutput }).budget >= tokens) window -= 128;
  return window;
}

async function tell(
  chat: Chat,
  records: readonly SessionRecord[],
  result: Omit<ImportResult, "session" | "sessions">,
): Promise<ImportResult> {
  const sessions: Session[] = [];
  for (const { id } of records) {
    await publishEvent(chat, { type: "session.created", sessionId: id });
    sessions.push(await toApiSession(chat, await chat.store.sessions.get(id)));
  }
  return { session: sessions[0] as Session, sessions, ...result };
}

/** The model the conversation was held with, if this server can reach it. */
function usable(chat: Chat, model: string | undefined): string | undefined {
  return model !== undefined && reach(chat.models, model)?.demo === false ? model : undefined;
}

/** Everything in a session, hidden messages and past summaries included. */
async function exportJson(chat: Chat, session: SessionRecord): Promise<SessionExport> {
  const messages = await readMessages(chat.store, session.id);
  const summaries = await chat.store.snapshots.summaries(session.id);
  return {
    midfold: 1,
    title: session.title,
    model: modelOf(chat, session),
    system: session.systemPrompt ?? null,
    exportedAt: new Date(chat.now()).toISOString(),
    messages: messages.map((message) => ({
      id: message.id,
      role: message.role,
      parts: toApiParts(message.parts),
      createdAt: new Date(message.createdAt).toISOString(),
      status: message.status,
      visibility: message.visibility,
      model: message.model ?? null,
      inputTokens: message.inputTokens ?? null,
      outputTokens: message.outputTokens ?? null,
    })),
    summaries: summaries.toReversed().map((summary) => ({
      id: summary.id,
      active: summary.state === "active",
      cutoffMessageId: summary.content.messageRange.lastMessageId,
      content: summary.content,
    })),
  };
}

const speakers = { system: "System", user: "User", assistant: "Assistant", tool: "Tool" } as const;

/** A session for people to read: a heading per speaker, the summary at its place, tools as code blocks. */
function exportMarkdown(exported: SessionExport): string {
  const active = exported.summaries.find((summary) => summary.active);
  const blocks = [
    `# ${exported.title.replaceAll(/\s+/g, " ")}`,
    `_${exported.model} · exported ${exported.exportedAt}_`,
  ];
  if (exported.system !== null) blocks.push("## System", exported.system);
  for (const message of exported.messages) {
    if (message.visibility === "person") continue;
    const words = message.parts.map(writePart).filter((text) => text !== "");
    if (words.length > 0) blocks.push(`## ${speakers[message.role]}`, ...words);
    if (message.id === active?.cutoffMessageId) {
      blocks.push(
        `> **Summary of the ${active.content.messagesIncluded} messages above**`,
        quote(active.content.summaryText),
      );
    }
  }
  return `${blocks.join("\n\n")}\n`;
}

function writePart(part: ApiPart): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return part.text === "" ? "" : quote(part.text);
    case "tool-call":
      return `Called \`${part.name}\`:\n\n${fenced(part.input)}`;
    case "tool-result":
      return fenced(part.content.map((inner) => (inner.type === "text" ? inner.text : `[${inner.type}]`)).join("\n"));
    case "image":
    case "file":
      return `_[${part.type}${"name" in part && part.name !== undefined ? ` ${part.name}` : ""}]_`;
    case "other":
      return part.kind === endingKind ? `_${String(part.value)}_` : "";
  }
}

/** Uses a fence longer than any inside the text. */
function fenced(text: string): string {
  let fence = "```";
  for (const [marks] of text.matchAll(/`{3,}/g)) if (marks.length >= fence.length) fence = `${marks}\``;
  return `${fence}\n${text}\n${fence}`;
}

function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}

interface StoreTranscriptOptions {
  readonly title: string;
  readonly model: string;
  /** Whether the file's system prompt becomes the session's. */
  readonly takeSystem: boolean;
}

/**
 * Creates a session from a transcript, with every message counted and stored in order. Stores all of it or, on failure,
 * nothing.
 */
async function storeTranscript(
  chat: Chat,
  transcript: Pick<Transcript, "messages" | "times" | "system">,
  { title, model, takeSystem }: StoreTranscriptOptions,
): Promise<SessionRecord> {
  assertSizes(transcript.messages);
  const session = await chat.store.sessions.create({
    title: title.slice(0, 500),
    model,
    ...(transcript.system === undefined || !takeSystem ? {} : { systemPrompt: transcript.system }),
  });
  const counter = getCounter(model);
  await countAhead(chat.counts, counter, transcript.messages);
  const drafts = transcript.messages.map((message, index) =>
    toDraft(message, transcript.times[index], counter.countMessage(message)),
  );
  if (transcript.system !== undefined && !takeSystem) drafts.unshift(systemNote(transcript.system));
  try {
    for (let start = 0; start < drafts.length; start += messagesPerWrite) {
      await chat.store.messages.append(session.id, drafts.slice(start, start + messagesPerWrite));
    }
  } catch (error) {
    await chat.store.sessions.remove(session.id);
    throw error;
  }
  return chat.store.sessions.get(session.id);
}

function toDraft(message: Message, createdAt: number | undefined, tokens: number): MessageDraft {
  const { role, parts, name } = message;
  if (role === "system") return systemNote(textOf(message));
  return {
    role,
    parts: toApiParts(parts) as Part[],
    ...(name === undefined ? {} : { name }),
    ...(role === "assistant" ? { outputTokens: tokens } : { inputTokens: tokens }),
    ...(createdAt === undefined ? {} : { createdAt }),
  };
}
