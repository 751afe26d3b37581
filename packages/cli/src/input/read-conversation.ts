import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import {
  detectFormat,
  type FormatName,
  formats,
  isMidfoldError,
  type Message,
  MidfoldError,
  type ToolChoice,
  type ToolDefinition,
} from "@midfold/core";
import { readTranscripts, type Transcript } from "@midfold/core/formats";
import { protocols } from "@midfold/wire";
import type { CliContext } from "../context.ts";

/**
 * A conversation from a file: a bare list of messages, a whole request body of one of the protocols, or a transcript as
 * agents and chat apps save it.
 */
export interface ReadConversation {
  readonly messages: readonly unknown[];
  /** The messages' format, where the kind of file determines it. */
  readonly format?: FormatName;
  /** The system prompt that stands beside the list in a request body. */
  readonly system: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice | undefined;
  readonly model: string | undefined;
  /** The same file with another list of messages. */
  readonly withMessages: (messages: readonly unknown[]) => unknown;
}

export interface ReadConversationOptions {
  /** Which chat of an export: its number or part of its title. */
  readonly chat?: string | undefined;
}

export async function readConversation(
  context: CliContext,
  file: string | undefined,
  { chat }: ReadConversationOptions = {},
): Promise<ReadConversation> {
  const source = file === undefined || file === "-" ? await readInput(context) : readText(resolve(context.cwd, file));
  if (source.trim() === "") {
    const hint = "Name a file with a conversation, or pipe one in.";
    throw new MidfoldError("VALIDATION_ERROR", `${file ?? "Standard input"} is empty. ${hint}`);
  }
  const { value, problem } = parse(source);
  if (Array.isArray(value) && (value.length === 0 || isMessageList(value))) {
    return { messages: value, system: [], tools: [], model: undefined, withMessages: (messages) => messages };
  }
  const body = typeof value === "object" && value !== null ? readBody(value as Record<string, unknown>) : undefined;
  if (body !== undefined) return body;
  try {
    const { transcripts, warnings } = readTranscripts(source);
    for (const warning of warnings) context.warn(`warning: ${warning}\n`);
    return fromTranscript(context, await chooseChat(context, transcripts, chat));
  } catch (cause) {
    // A file that was meant to be JSON gets the JSON error.
    if (isMidfoldError(cause, "VALIDATION_ERROR") || problem === undefined || !/^\s*[[{]/.test(source)) throw cause;
    throw new MidfoldError("VALIDATION_ERROR", `${file ?? "Standard input"} is not valid JSON: ${problem}`, { cause });
  }
}

function readInput(context: CliContext): Promise<string> {
  // Otherwise a person at a terminal would see a command that does nothing.
  if (context.canAsk) context.warn("Reading a conversation from standard input; end it with Ctrl-D.\n");
  return text(context.stdin);
}

async function chooseChat(
  context: CliContext,
  chats: readonly Transcript[],
  wanted: string | undefined,
): Promise<Transcript> {
  const [only] = chats;
  if (only !== undefined && chats.length === 1 && wanted === undefined) return only;
  const list = chats.map((chat, at) => `  ${String(at + 1).padStart(3)}  ${describeChat(chat)}`).join("\n");
  if (wanted !== undefined) {
    const found = /^\d+$/.test(wanted)
      ? chats.slice(Number(wanted) - 1, Number(wanted))
      : chats.filter(({ title }) => title?.toLowerCase().includes(wanted.toLowerCase()));
    if (found.length === 1 && found[0] !== undefined) return found[0];
    const why = found.length === 0 ? `no chat "${wanted}"` : `${found.length} chats that match "${wanted}"`;
    throw new MidfoldError("VALIDATION_ERROR", `The file holds ${why}. It holds:\n${list}`);
  }
  if (!context.canAsk) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      `The file holds ${chats.length} chats. Choose one with --chat and its number or a part of its title:\n${list}`,
    );
  }
  const { isCancel, select } = await import("@clack/prompts");
  const chosen = await select({
    message: `The file holds ${chats.length} chats. Which one?`,
    options: chats.map((chat, at) => ({ value: at, label: describeChat(chat) })),
    output: process.stderr,
  });
  const chat = isCancel(chosen) ? undefined : chats[chosen];
  if (chat === undefined) throw new MidfoldError("ABORTED", "No chat was chosen.");
  return chat;
}

function describeChat({ title, messages, times }: Transcript): string {
  const updatedAt = times.findLast((time) => time !== undefined);
  const date = updatedAt === undefined ? "" : `, ${new Date(updatedAt).toISOString().slice(0, 10)}`;
  return `${title ?? "(without a title)"} (${messages.length} messages${date})`;
}

function parse(source: string): { readonly value?: unknown; readonly problem?: string } {
  try {
    return { value: JSON.parse(source) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function isMessageList(value: readonly unknown[]): boolean {
  try {
    detectFormat(value);
    return true;
  } catch {
    return false;
  }
}

function fromTranscript(context: CliContext, transcript: Transcript): ReadConversation {
  const { messages, dialect, system, model, skipped, warnings } = transcript;
  if (skipped > 0) context.warn(`note: ${skipped} entries of the file are no messages and were left out.\n`);
  for (const warning of warnings) context.warn(`warning: ${warning}\n`);
  const format = formats[dialect];
  return {
    messages: messages.map((message) => message.source ?? format.encode(message)),
    format: dialect,
    system: system === undefined ? [] : [{ role: "system", parts: [{ type: "text", text: system }] }],
    tools: [],
    model,
    withMessages: (folded) => folded,
  };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "there is no such file" : code === "EISDIR" ? "it is a folder" : message;
    throw new MidfoldError("VALIDATION_ERROR", `Cannot read ${file}: ${why}.`, { cause });
  }
}

function readBody(body: Record<string, unknown>): ReadConversation | undefined {
  const protocol = Object.values(protocols).find(({ body: access }) => {
    const { messages, system } = access.fields;
    return messages in body && (system === undefined || system in body || access.messagesOf(body).length > 0);
  });
  if (protocol === undefined) return undefined;
  const access = protocol.body;
  const model = body[access.fields.model];
  return {
    messages: access.messagesOf(body),
    system: access.systemOf(body),
    tools: access.toolsOf(body),
    toolChoice: access.toolChoiceOf(body),
    model: typeof model === "string" ? model : undefined,
    withMessages: (messages: readonly unknown[]) => access.withMessages(body, messages),
  };
}
