import { type Message, type Part, type ToolDefinition, textOf } from "@midfold/core";
import { previousOf } from "@midfold/core/summaries";
import type { MessageRecord, SessionContext, SummaryRecord } from "@midfold/store";
import { isSendable, recalledOf, toMessage } from "./to-message.ts";

export interface ContextEntry {
  /** `recalled`: excerpts of folded messages, sent at the head of the user message after them. */
  readonly kind: "system" | "summary" | "recalled" | "recent" | "draft";
  readonly message: Message;
  readonly record?: MessageRecord;
}

/** The next request, in order: system prompt, summary, what came after it, and the words being sent. */
export interface BuiltContext {
  readonly entries: readonly ContextEntry[];
  /** As they are sent: excerpts and their question are one message. */
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly summary: SummaryRecord | undefined;
}

export interface BuildOptions {
  readonly system: string | undefined;
  /** Only messages up to this sequence, the last of which is the input: a turn does not see later ones. */
  readonly through?: number;
  /** Text that is not stored yet, and its attachments. */
  readonly draft?: string;
  readonly attachments?: readonly Part[];
  /** Excerpts for the input. */
  readonly recalled?: string | undefined;
}

type ContextSource = Pick<SessionContext, "summary" | "messages">;

/**
 * The latest summary as a system message (a user message where it quotes tools), then the messages after its cutoff,
 * then the input.
 */
export function buildContext(source: ContextSource, options: BuildOptions): BuiltContext {
  const entries: ContextEntry[] = [];
  if (options.system !== undefined && options.system.trim() !== "") {
    entries.push({ kind: "system", message: { role: "system", parts: [{ type: "text", text: options.system }] } });
  }
  if (source.summary !== undefined) entries.push({ kind: "summary", message: summaryMessage(source.summary) });
  for (const record of source.messages) {
    if (options.through !== undefined && record.seq > options.through) break;
    if (!isSendable(record)) continue;
    const recalled = recalledOf(record);
    if (recalled !== null) addRecalled(entries, recalled);
    const isInput = record.seq === options.through;
    entries.push({ kind: isInput ? "draft" : "recent", message: toMessage(record), record });
  }
  const words: Part[] = (options.draft ?? "") === "" ? [] : [{ type: "text", text: options.draft ?? "" }];
  const said = [...(options.attachments ?? []), ...words];
  if (said.length > 0) entries.push({ kind: "draft", message: { role: "user", parts: said } });
  if (options.recalled !== undefined) addRecalled(entries, options.recalled);
  const messages = toSent(entries);
  return { entries, messages, tools: toolsUsed(messages), summary: source.summary };
}

/** Puts excerpts before the last question. If that was folded since, they are left out. */
function addRecalled(entries: ContextEntry[], text: string): void {
  const at = entries.findLastIndex(({ kind, message }) => (kind === "recent" || kind === "draft") && asks(message));
  if (at < 0 || entries[at - 1]?.kind === "recalled") return;
  entries.splice(at, 0, { kind: "recalled", message: { role: "user", parts: [{ type: "text", text }] } });
}

/** Providers require tool results at the start of a message, so nothing may be put before them. */
function asks({ role, parts }: Message): boolean {
  return role === "user" && !parts.some(({ type }) => type === "tool-result");
}

function toSent(entries: readonly ContextEntry[]): readonly Message[] {
  return entries.flatMap(({ kind, message }, at) => {
    if (kind === "recalled") return [];
    const before = entries[at - 1];
    return [before?.kind === "recalled" ? withExcerpts(message, before.message) : message];
  });
}

/**
 * Joins both into one message, and one text where it starts with text: templates of local models refuse two user
 * messages in a row.
 */
export function withExcerpts(question: Message, excerpts: Message): Message {
  const text = textOf(excerpts);
  const [first, ...others] = question.parts;
  const parts: readonly Part[] =
    first?.type === "text"
      ? [{ type: "text", text: `${text}\n\n${first.text}` }, ...others]
      : [{ type: "text", text }, ...question.parts];
  return { ...question, parts };
}

/** What the model sees of a summary: the frame of its fold, marked as quoted history and not as instructions. */
export function summaryMessage({ fold, content }: SummaryRecord): Message {
  const { role = "system", text } = previousOf(fold) ?? { text: content.summaryText };
  return { role, parts: [{ type: "text", text }] };
}

/** Providers refuse past tool calls unless the tools are declared, so imported conversations declare theirs by name. */
function toolsUsed(messages: readonly Message[]): readonly ToolDefinition[] {
  const names = new Set<string>();
  for (const { parts } of messages) {
    for (const part of parts) if (part.type === "tool-call" && part.hosted !== true) names.add(part.name);
  }
  return [...names].map((name) => ({ name, schema: { type: "object" } }));
}
