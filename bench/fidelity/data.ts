import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { ChatMessage } from "./conversation.ts";

export interface Question {
  readonly question: string;
  readonly answer: string;
  /** Places of the messages that answer it. */
  readonly evidence: readonly number[];
  readonly category?: number | string;
}

export interface Recorded {
  readonly id: string;
  /** Without system messages: what is measured is the talk that can be folded. */
  readonly messages: readonly ChatMessage[];
  readonly system: string;
  readonly qa: readonly Question[];
  readonly compactions: readonly { readonly at: number; readonly summary: string; readonly first_kept?: number }[];
}

export interface DataSet {
  readonly name: string;
  /** Agents are asked for the values later calls need, dialogues for the evidence of their questions. */
  readonly group: "agents" | "dialogues" | "chinese";
  readonly conversations: readonly Recorded[];
}

/** Recorded conversations, read in place; they are not part of the project. */
export const dataFolder = process.env.MIDFOLD_DATA ?? join(import.meta.dirname, "../../../shared/data");

export function setNames(): string[] {
  if (!existsSync(dataFolder)) return [];
  return readdirSync(dataFolder)
    .filter((file) => file.endsWith(".jsonl.gz"))
    .map((file) => file.slice(0, -".jsonl.gz".length))
    .sort();
}

const loaded = new Map<string, DataSet>();

/** A set by its file name; read once. */
export function loadSet(name: string): DataSet {
  const set = loaded.get(name) ?? readSet(name);
  loaded.set(name, set);
  return set;
}

function readSet(name: string): DataSet {
  const conversations = conversationsIn(join(dataFolder, `${name}.jsonl.gz`));
  const text = conversations[0]?.messages.map(({ content }) => content ?? "").join("") ?? "";
  const chinese = (text.match(/\p{Script=Han}/gu)?.length ?? 0) > text.length / 4;
  const group = chinese ? "chinese" : conversations.some(({ qa }) => qa.length > 0) ? "dialogues" : "agents";
  return { name, group, conversations };
}

/** What is wrong with a file is said with its name and line: people bring their own. */
function conversationsIn(file: string): Recorded[] {
  let at = 0;
  try {
    const lines = gunzipSync(readFileSync(file)).toString("utf8").split("\n");
    const conversations: Recorded[] = [];
    for (const line of lines) {
      at++;
      if (line.trim() !== "") conversations.push(readLine(line));
    }
    if (conversations.length === 0) throw new Error("it has no line");
    return conversations;
  } catch (error) {
    const where = at === 0 ? file : `${file}, line ${at}`;
    throw new Error(
      `${where}: ${(error as Error).message}. A set is gzip JSONL with one conversation per line: ` +
        '{ "id": "…", "messages": [{ "role": "user", "content": "…" }, …] }, as in OpenAI\'s chat format.',
    );
  }
}

function readLine(line: string): Recorded {
  const row = JSON.parse(line) as {
    id: string;
    messages: ChatMessage[];
    qa?: Question[];
    llm_compactions?: Recorded["compactions"];
  };
  if (!Array.isArray(row?.messages) || row.messages.some((message) => typeof message?.role !== "string")) {
    throw new Error("it has no list of messages with a role each");
  }
  const kept: ChatMessage[] = [];
  const system: string[] = [];
  const places = row.messages.map((message) => {
    if (message.role === "system") {
      system.push(message.content ?? "");
      return -1;
    }
    kept.push(wireMessage(message));
    return kept.length - 1;
  });
  const moved = (indices: readonly number[]) => indices.map((index) => places[index] ?? -1).filter((at) => at >= 0);
  return {
    id: String(row.id ?? ""),
    messages: kept,
    system: system.join("\n"),
    qa: (row.qa ?? []).map((question) => ({ ...question, evidence: moved(question.evidence ?? []) })),
    compactions: (row.llm_compactions ?? []).map((one) => ({ ...one, at: places[one.at] ?? one.at })),
  };
}

/** Only what goes over the wire: what a provider reported about a call is not part of the message. */
function wireMessage({ role, content, tool_calls, tool_call_id }: ChatMessage): ChatMessage {
  return {
    role,
    content,
    ...(tool_calls !== undefined && tool_calls.length > 0 && { tool_calls }),
    ...(tool_call_id !== undefined && { tool_call_id }),
  };
}

/** Every n-th of a list, so that a sample covers all of it. */
export function sample<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, index) => list[Math.floor(((index + 0.5) * list.length) / most)]!);
}
