import { MidfoldError, type Part } from "@midfold/core";
import { readTranscripts, type Transcript, type TranscriptFormat } from "@midfold/core/formats";
import type { MessageDraft, SessionRecord } from "@midfold/store";
import { exportSchema, type ImportSession, type SessionExport } from "../../api/transfer.ts";
import type { Chat } from "../chat.ts";
import { assertSizes } from "../turn/assert-sizes.ts";

/** What a file holds: a Midfold export, or conversations in some other format. */
export type ReadFile =
  | { readonly own: SessionExport }
  | { readonly transcripts: readonly Transcript[]; readonly warnings: readonly string[] };

/** Reads a file to import. Long ones take seconds, so this must not run on the event loop. */
export function readFile(content: string, format: ImportSession["format"]): ReadFile {
  const own = format === "auto" || format === "midfold" ? parseExport(content, format === "midfold") : undefined;
  if (own !== undefined) return { own };
  const read = readTranscripts(content, format === "auto" ? {} : { format: format as TranscriptFormat });
  // The original wire objects are no longer needed, and are as long as the file.
  const transcripts = read.transcripts.map((transcript) => ({
    ...transcript,
    messages: transcript.messages.map(({ source: _, ...message }) => message),
  }));
  return { transcripts, warnings: read.warnings };
}

/** Midfold's own export, or undefined when the file is something else. With `required` it must be one. */
function parseExport(content: string, required: boolean): SessionExport | undefined {
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch {
    value = undefined;
  }
  const looksOwn = typeof value === "object" && value !== null && "midfold" in value;
  if (!looksOwn && !required) return undefined;
  const parsed = exportSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new MidfoldError(
    "VALIDATION_ERROR",
    `The file is no usable Midfold export: ${issue?.path.join(".")}: ${issue?.message}.`,
  );
}

/** Messages per transaction: few, since other requests wait while a batch is written. */
export const messagesPerWrite = 100;
const statuses = ["complete", "interrupted", "failed"] as const;

/** The same messages and the same chain of summaries as were exported; the summaries are marked as imported. */
export async function importExport(
  chat: Chat,
  exported: SessionExport,
  options: Pick<ImportSession, "title" | "model" | "takeSystem">,
): Promise<SessionRecord> {
  assertSizes(exported.messages as readonly { readonly parts: readonly Part[] }[]);
  const session = await chat.store.sessions.create({
    title: options.title ?? exported.title.slice(0, 500),
    model: options.model ?? exported.model,
    ...(exported.system === null || !options.takeSystem ? {} : { systemPrompt: exported.system }),
  });
  try {
    if (exported.system !== null && !options.takeSystem) {
      await chat.store.messages.append(session.id, [systemNote(exported.system)]);
    }
    for (let start = 0; start < exported.messages.length; start += messagesPerWrite) {
      const drafts = exported.messages.slice(start, start + messagesPerWrite).map((message) => ({
        id: message.id,
        role: message.role === "system" ? ("user" as const) : message.role,
        parts: message.parts as Part[],
        status: statuses.find((status) => status === message.status) ?? ("interrupted" as const),
        // System messages of a file must not become instructions: see takeSystem.
        visibility:
          message.visibility === "person" || message.role === "system" ? ("person" as const) : ("all" as const),
        createdAt: Date.parse(message.createdAt),
        ...(message.model === null ? {} : { model: message.model }),
        ...(message.inputTokens === null ? {} : { inputTokens: message.inputTokens }),
        ...(message.outputTokens === null ? {} : { outputTokens: message.outputTokens }),
      }));
      await chat.store.messages.append(session.id, drafts);
    }
    await importSummaries(chat, session.id, exported);
  } catch (error) {
    await chat.store.sessions.remove(session.id);
    throw error;
  }
  return chat.store.sessions.get(session.id);
}

/** A system message of a file: people can read it, no model is sent it. */
export function systemNote(text: string): MessageDraft {
  const words = `The file has this as a system prompt. It is not in force here:\n\n${text}`;
  return { role: "user", visibility: "person", parts: [{ type: "text", text: words }] };
}

/** Publishes the summaries up to the active one again, oldest first, so that undo works. */
async function importSummaries(chat: Chat, sessionId: string, exported: SessionExport): Promise<void> {
  const end = exported.summaries.findIndex((summary) => summary.active);
  let previousId: string | undefined;
  for (const { content } of exported.summaries.slice(0, end + 1)) {
    const { epoch } = await chat.store.sessions.get(sessionId);
    const extra = { origin: "imported", foldId: crypto.randomUUID(), baseId: previousId ?? null };
    const outcome = await chat.store.snapshots.publishSummary(sessionId, { content, extra, epoch, previousId });
    // A summary that covers less than the one before it was undone before the export.
    if (outcome.published) previousId = outcome.snapshot.id;
    else chat.log.info({ sessionId, reason: outcome.reason }, "an imported summary was left out");
  }
}
