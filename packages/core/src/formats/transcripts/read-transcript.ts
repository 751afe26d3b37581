import { MidfoldError } from "../../errors/midfold-error.ts";
import { type Message, type Role, textOf } from "../../message/message.ts";
import { detectFormat } from "../detect-format.ts";
import type { FormatName } from "../format.ts";
import { formats } from "../formats.ts";
import { isChatExport, readChatExport } from "./read-chat-export.ts";
import {
  isRecord,
  type JsonRecord,
  type ReadEntries,
  type Transcript,
  type TranscriptFormat,
  timeOf,
} from "./transcript.ts";

export interface ReadTranscriptOptions {
  /** Found out when absent. */
  readonly format?: TranscriptFormat;
}

/**
 * Reads a conversation from the text of a file: a list or request body of OpenAI, Anthropic, Responses or AI SDK
 * messages, a Claude Code or Codex session, a data export of ChatGPT or claude.ai, JSON lines, or Markdown with a heading
 * per speaker. Throws UNKNOWN_FORMAT when it is none of them.
 *
 * @example const { messages } = readTranscript(await readFile("session.jsonl", "utf8"));
 */
export function readTranscript(text: string, options: ReadTranscriptOptions = {}): Transcript {
  const { format } = options;
  const trimmed = clean(text);
  if (format === "markdown") return fromMarkdown(trimmed);
  const parsed = parse(trimmed);
  if (parsed === undefined) {
    if (format === undefined) return fromMarkdown(trimmed);
    throw new MidfoldError("UNKNOWN_FORMAT", `The file is neither JSON nor JSON lines, so it cannot be ${format}.`);
  }
  const { entries, skipped } = parsed;
  if (format === "claude-code" || (format === undefined && isClaudeCode(entries))) {
    return decode("claude-code", withSkipped(readClaudeCode(entries), skipped), {});
  }
  if (format === "codex" || (format === undefined && isCodex(entries))) {
    return decode("codex", withSkipped(readCodex(entries), skipped), {});
  }
  const exports = entries.filter(isChatExport);
  if (format === "chat-export" || (format === undefined && exports.length > 0)) return fromExport(exports);
  return fromList(entries, skipped, format);
}

/** What a file holds: usually one conversation, all of them where it is an export of many. */
export interface Transcripts {
  readonly transcripts: readonly Transcript[];
  /** Conversations that could not be read, by name. */
  readonly warnings: readonly string[];
}

/**
 * Reads every conversation of a file. Throws UNKNOWN_FORMAT when it holds none.
 *
 * @example const { transcripts } = readTranscripts(await readFile("conversations.json", "utf8"));
 */
export function readTranscripts(text: string, options: ReadTranscriptOptions = {}): Transcripts {
  const { format } = options;
  const entries = format === undefined || format === "chat-export" ? (parse(clean(text))?.entries ?? []) : [];
  const exports = entries.filter(isChatExport);
  if (exports.length < 2) return { transcripts: [readTranscript(text, options)], warnings: [] };
  const transcripts: Transcript[] = [];
  const warnings: string[] = [];
  for (const conversation of exports) {
    const read = readChatExport(conversation);
    if (read.wire.length > 0) transcripts.push(decode("chat-export", read, {}));
    else warnings.push(`“${read.title ?? "Untitled"}” holds no message that can be read.`);
  }
  if (transcripts.length > 0) return { transcripts, warnings };
  throw new MidfoldError("UNKNOWN_FORMAT", `None of the ${exports.length} conversations holds a message.`);
}

const clean = (text: string): string => text.replace(/^\uFEFF/, "").trim();

function fromMarkdown(text: string): Transcript {
  const messages = readMarkdown(text);
  if (messages.length === 0) {
    throw new MidfoldError(
      "UNKNOWN_FORMAT",
      'The text is no transcript Midfold knows: it is not JSON, and has no headings such as "## User" and "## Assistant".',
    );
  }
  const title = titleOf(text);
  return finish("markdown", messages, { wire: [], times: [], skipped: 0, title }, {});
}

function fromExport(conversations: readonly JsonRecord[]): Transcript {
  const [first] = conversations;
  if (first === undefined) throw new MidfoldError("UNKNOWN_FORMAT", "The file holds no exported conversation.");
  const transcript = decode("chat-export", readChatExport(first), {});
  if (conversations.length === 1) return transcript;
  const more = `The file holds ${conversations.length} conversations; only the first was read.`;
  return { ...transcript, warnings: [...transcript.warnings, more] };
}

/** A plain list, JSON lines of messages, or a request body around either. */
function fromList(entries: readonly unknown[], skipped: number, format: TranscriptFormat | undefined): Transcript {
  const [only] = entries;
  const body = entries.length === 1 && isRecord(only) ? listIn(only) : undefined;
  const lines =
    body === undefined &&
    entries.length > 0 &&
    entries.every((entry) => isRecord(entry) && listIn(entry) !== undefined);
  const wire = body ?? (lines ? (listIn(only as JsonRecord) ?? []) : entries);
  const ignored = lines ? entries.length - 1 : 0;
  const read: ReadEntries = { wire, times: [], skipped: skipped + ignored };
  const around = isRecord(only) && (body !== undefined || lines) ? only : {};
  const name = format ?? (detectFormat(wire).name as FormatName);
  return decode(name, { ...read, model: typeof around.model === "string" ? around.model : undefined }, around);
}

function listIn(body: JsonRecord): readonly unknown[] | undefined {
  for (const field of ["messages", "input"]) {
    const value = body[field];
    if (Array.isArray(value)) return value;
    if (field === "input" && typeof value === "string") return [{ role: "user", content: value }];
  }
  return undefined;
}

const dialects: Readonly<Record<Exclude<TranscriptFormat, FormatName>, FormatName>> = {
  "claude-code": "anthropic-messages",
  codex: "openai-responses",
  "chat-export": "openai-chat",
  markdown: "openai-chat",
};

function dialectOf(format: TranscriptFormat): FormatName {
  return (dialects as Readonly<Record<string, FormatName>>)[format] ?? (format as FormatName);
}

function decode(format: TranscriptFormat, read: ReadEntries, around: JsonRecord): Transcript {
  const name = dialectOf(format);
  const warnings: string[] = [];
  const kept: (number | undefined)[] = [];
  const messages: Message[] = [];
  read.wire.forEach((entry, index) => {
    const decoded = formats[name].decode([entry], { onInvalid: "skip", warn: ({ message }) => warnings.push(message) });
    for (const message of decoded) {
      messages.push(message);
      kept.push(read.times[index]);
    }
  });
  if (messages.length === 0) {
    throw new MidfoldError("UNKNOWN_FORMAT", `The file holds no message that can be read as ${format}.`, {
      details: { entries: read.wire.length, warnings: warnings.slice(0, 5) },
    });
  }
  const lost = read.wire.length - messages.length;
  const transcript = finish(
    format,
    messages,
    { ...read, times: kept, skipped: read.skipped + Math.max(0, lost) },
    around,
  );
  return { ...transcript, warnings: warnings.slice(0, 20) };
}

/** System messages at the head become the system prompt: that is what they are. */
function finish(format: TranscriptFormat, all: readonly Message[], read: ReadEntries, around: JsonRecord): Transcript {
  const head = all.findIndex((message) => message.role !== "system");
  const lead = head === -1 ? all.length : head;
  const system = [systemBeside(around), ...all.slice(0, lead).map(textOf)].filter((part) => part !== "").join("\n\n");
  return {
    format,
    dialect: dialectOf(format),
    ...(read.title === undefined ? {} : { title: read.title }),
    ...(read.model === undefined ? {} : { model: read.model }),
    ...(system === "" ? {} : { system }),
    messages: all.slice(lead),
    times: all.slice(lead).map((_, index) => read.times[lead + index]),
    skipped: read.skipped,
    warnings: [],
  };
}

function systemBeside({ system, instructions }: JsonRecord): string {
  const value = system ?? instructions;
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map((block) => (isRecord(block) && typeof block.text === "string" ? block.text : "")).join("\n");
}

/** One JSON value, or one per line; undefined when it is neither. Broken lines (a file still being written) are skipped. */
function parse(text: string): { readonly entries: readonly unknown[]; readonly skipped: number } | undefined {
  const whole = tryParse(text);
  if (whole !== undefined) return { entries: Array.isArray(whole) ? whole : [whole], skipped: 0 };
  if (!text.startsWith("{")) return undefined;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const entries = lines.map(tryParse).filter((entry) => entry !== undefined);
  return entries.length === 0 ? undefined : { entries, skipped: lines.length - entries.length };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function withSkipped(read: ReadEntries, more: number): ReadEntries {
  return { ...read, skipped: read.skipped + more };
}

/** Lines a Claude Code session file has for messages; all others are about the program itself. */
const speaking: ReadonlySet<unknown> = new Set(["user", "assistant"]);

function isClaudeCode(entries: readonly unknown[]): boolean {
  const known = entries.filter((entry) => isRecord(entry) && typeof entry.type === "string" && "uuid" in entry);
  return known.some((entry) => speaking.has((entry as JsonRecord).type) && isRecord((entry as JsonRecord).message));
}

/**
 * Claude Code session files: one line per content block, joined by the message id they share; side conversations of
 * sub-agents and notes of the program to itself are left out.
 */
function readClaudeCode(entries: readonly unknown[]): ReadEntries {
  const wire: Record<string, unknown>[] = [];
  const times: (number | undefined)[] = [];
  let skipped = 0;
  let title: string | undefined;
  let model: string | undefined;
  let lastId: unknown;
  for (const entry of entries) {
    if (!isRecord(entry)) {
      skipped++;
      continue;
    }
    if (entry.type === "summary" && typeof entry.summary === "string") title ??= entry.summary;
    const { message } = entry;
    if (!speaking.has(entry.type) || !isRecord(message) || entry.isSidechain === true || entry.isMeta === true) {
      skipped++;
      continue;
    }
    if (typeof message.model === "string" && !message.model.startsWith("<")) model = message.model;
    const last = wire.at(-1);
    const sameMessage = message.id !== undefined && message.id === lastId;
    if (sameMessage && last !== undefined && Array.isArray(last.content) && Array.isArray(message.content)) {
      last.content = [...last.content, ...message.content];
      continue;
    }
    lastId = message.id;
    wire.push({ role: message.role ?? entry.type, content: message.content ?? "" });
    times.push(timeOf(entry.timestamp));
  }
  return { wire, times, skipped, title, model };
}

const envelope: ReadonlySet<unknown> = new Set([
  "session_meta",
  "response_item",
  "event_msg",
  "turn_context",
  "compacted",
]);

function isCodex(entries: readonly unknown[]): boolean {
  return entries.some((entry) => isRecord(entry) && envelope.has(entry.type) && isRecord(entry.payload));
}

/** Codex session files: the items of the conversation, without the events that repeat them for the screen. */
function readCodex(entries: readonly unknown[]): ReadEntries {
  const wire: unknown[] = [];
  const times: (number | undefined)[] = [];
  let skipped = 0;
  let model: string | undefined;
  for (const entry of entries) {
    const payload = isRecord(entry) && isRecord(entry.payload) ? entry.payload : undefined;
    if (isRecord(entry) && entry.type === "turn_context" && typeof payload?.model === "string") model = payload.model;
    if (!isRecord(entry) || entry.type !== "response_item" || payload === undefined) {
      skipped++;
      continue;
    }
    wire.push(payload);
    times.push(timeOf(entry.timestamp));
  }
  return { wire, times, skipped, model };
}

/** A heading, or a bold word at the start of a line, that names who speaks: `## User`, `**Assistant:**`. */
const names = "user|human|you|me|assistant|ai|chatgpt|claude|gemini|model|system|tool";
const speaker = new RegExp(`^(?:#{1,4}\\s+(${names})\\b.*|\\*\\*(${names}):?\\*\\*:?\\s*(.*))$`, "i");

const roles: Readonly<Record<string, Role>> = {
  user: "user",
  human: "user",
  you: "user",
  me: "user",
  system: "system",
  // A tool's words without its call would be refused by providers; as words of the assistant they stay readable.
  tool: "assistant",
};

/** Markdown with a heading per speaker, as Midfold and most tools export it. Empty when there is no such heading. */
function readMarkdown(text: string): readonly Message[] {
  const messages: Message[] = [];
  let role: Role | undefined;
  let lines: string[] = [];
  let fence: string | undefined;
  const flush = () => {
    const words = lines.join("\n").trim();
    if (role !== undefined && words !== "") messages.push({ role, parts: [{ type: "text", text: words }] });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    // A heading inside a code block is code.
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence)))
      fence = fence === undefined ? mark : undefined;
    const named = fence === undefined ? speaker.exec(line) : null;
    if (named === null) {
      lines.push(line);
      continue;
    }
    flush();
    role = roles[(named[1] ?? named[2] ?? "").toLowerCase()] ?? "assistant";
    if (named[3] !== undefined) lines.push(named[3]);
  }
  flush();
  return messages;
}

function titleOf(markdown: string): string | undefined {
  const title = /^#\s+(.+)$/m.exec(markdown.slice(0, 2000))?.[1]?.trim();
  return title === undefined || speaker.test(`# ${title}`) ? undefined : title;
}
