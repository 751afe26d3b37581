import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { formats, type Message } from "../../src/index.ts";

export interface Question {
  readonly question: string;
  readonly answer: string;
  readonly evidence: readonly number[];
  readonly category?: number;
}

export interface Conversation {
  readonly id: string;
  readonly messages: readonly Message[];
  readonly qa: readonly Question[];
}

/** Real conversations, read in place; they are not part of the project. */
export const dataFolder = process.env.MIDFOLD_DATA ?? join(import.meta.dirname, "../../../../../shared/data");

export function hasData(): boolean {
  return existsSync(join(dataFolder, "README.md"));
}

export function loadConversations(name: string, most = Number.POSITIVE_INFINITY): Conversation[] {
  const lines = gunzipSync(readFileSync(join(dataFolder, `${name}.jsonl.gz`)))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "");
  const chat = formats["openai-chat"];
  return lines.slice(0, most).map((line) => {
    const row = JSON.parse(line) as { id: string; messages: unknown[]; qa?: Question[] };
    return { id: row.id, messages: chat.decode(row.messages, { onInvalid: "skip" }), qa: row.qa ?? [] };
  });
}
