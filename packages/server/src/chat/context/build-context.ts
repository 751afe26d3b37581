import type { Message, Part, ToolDefinition } from "@midfold/core";
import { previousOf } from "@midfold/core/summaries";
import type { MessageRecord, SessionContext, SummaryRecord } from "@midfold/store";
import { isSendable, toMessage } from "./to-message.ts";

export interface ContextEntry {
  readonly kind: "system" | "summary" | "recent" | "draft";
  readonly message: Message;
  readonly record?: MessageRecord;
}

/** The next request, in order: system prompt, summary, what came after it, and the words being sent. */
export interface BuiltContext {
  readonly entries: readonly ContextEntry[];
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly summary: SummaryRecord | undefined;
}

export interface BuildOptions {
  readonly system: string | undefined;
  /** Only messages up to this sequence, which is then the input: a turn does not see later ones. */
  readonly through?: number;
  /** Words that are not stored yet, and what goes along with them. */
  readonly draft?: string;
  readonly attachments?: readonly Part[];
}

type ContextSource = Pick<SessionContext, "summary" | "messages">;

/** R1 FR-1.5.1: latest summary as a system message (a user message where it quotes tools), then the messages after its cutoff, then the input. */
export function buildContext(source: ContextSource, options: BuildOptions): BuiltContext {
  const entries: ContextEntry[] = [];
  if (options.system !== undefined && options.system.trim() !== "") {
    entries.push({ kind: "system", message: { role: "system", parts: [{ type: "text", text: options.system }] } });
  }
  if (source.summary !== undefined) entries.push({ kind: "summary", message: summaryMessage(source.summary) });
  for (const record of source.messages) {
    if (options.through !== undefined && record.seq > options.through) break;
    if (!isSendable(record)) continue;
    const isInput = record.seq === options.through;
    entries.push({ kind: isInput ? "draft" : "recent", message: toMessage(record), record });
  }
  const words: Part[] = (options.draft ?? "") === "" ? [] : [{ type: "text", text: options.draft ?? "" }];
  const said = [...(options.attachments ?? []), ...words];
  if (said.length > 0) entries.push({ kind: "draft", message: { role: "user", parts: said } });
  const messages = entries.map(({ message }) => message);
  return { entries, messages, tools: toolsUsed(messages), summary: source.summary };
}

/** What the model sees of a summary: the frame of its fold, quoted history and never instructions. */
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
