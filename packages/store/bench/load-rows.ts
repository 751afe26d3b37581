import { createHash } from "node:crypto";
import { recordOf } from "@midfold/core/summaries";
import { maxChunks } from "../src/text/index-terms.ts";
import { termsOf } from "../src/text/terms.ts";
import { createRandom, createText } from "./synthetic-messages.ts";

export interface LoadPlan {
  readonly owner: string;
  readonly sessions: number;
  readonly messagesEach: number;
  /** Every session has a summary that ends here. */
  readonly cutoff: number;
}

export interface LoadedSession {
  readonly id: string;
  readonly summaryId: string;
  readonly summaryJson: string;
  readonly foldJson: string;
  readonly messages: readonly LoadedMessage[];
}

export interface LoadedMessage {
  readonly docId: number;
  readonly id: string;
  readonly seq: number;
  readonly role: string;
  readonly partsJson: string;
  readonly terms: readonly string[];
}

export const sessionIdOf = (index: number): string => `s${String(index).padStart(6, "0")}`;
export const searchRowOf = (docId: number): number => docId * maxChunks;

/** The rows a million appends would leave, made without a million round trips. */
export function* loadRows({ sessions, messagesEach, cutoff }: LoadPlan): Generator<LoadedSession> {
  const random = createRandom(1);
  let docId = 0;
  for (let index = 0; index < sessions; index++) {
    const id = sessionIdOf(index);
    const messages: LoadedMessage[] = [];
    for (let seq = 1; seq <= messagesEach; seq++) {
      const text = createText(random, docId++);
      messages.push({
        docId,
        id: messageId(index, seq),
        seq,
        role: seq % 2 === 1 ? "user" : "assistant",
        partsJson: JSON.stringify([{ type: "text", text }]),
        terms: [...termsOf(text)].map(({ term }) => term),
      });
    }
    const text = createText(random, 0).repeat(8);
    const summaryJson = JSON.stringify({
      summaryText: text,
      messageRange: { firstMessageId: messageId(index, 1), lastMessageId: messageId(index, cutoff) },
      compressionTimestamp: "2025-11-16T10:30:00Z",
      compressionType: "auto",
      originalTokenCount: 50_000,
      summaryTokenCount: 2_000,
      messagesIncluded: cutoff,
    });
    const foldJson = JSON.stringify(recordOf({ text, covers: cutoff, tokens: { before: 50_000, after: 2_000 } }));
    yield { id, summaryId: `${id}-summary`, summaryJson, foldJson, messages };
  }
}

/** As long and as random as real ids. */
export function messageId(session: number, seq: number): string {
  const hex = createHash("md5").update(`${session}/${seq}`).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
