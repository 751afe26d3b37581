import { clipText } from "../clip/clip-text.ts";
import { quoteHistory } from "../digest/quote-history.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { Archive } from "./build-archive.ts";
import { recallExcerpts } from "./recall-excerpts.ts";

export interface AnswerRecallOptions {
  readonly counter: TokenCounter;
  readonly maxTokens?: number;
}

/**
 * The answer to a call of the recall tool. Never throws: a bad call is answered with how to call.
 *
 * @example
 * const answer = answerRecall(buildArchive(folded), { query: "which port?" }, { counter: getCounter("gpt-4o") });
 */
export function answerRecall(archive: Archive, input: unknown, options: AnswerRecallOptions): string {
  const { counter } = options;
  const maxTokens = options.maxTokens ?? 1000;
  const { query, id, from, to } = readInput(input);
  if (id !== undefined) {
    const entry = archive.entries.find((candidate) => candidate.id === id);
    if (entry === undefined)
      return `There is no condensed message ${id.slice(0, 40)}. Search with "query" to find ids.`;
    const lines = entry.text.split("\n");
    const first = Math.max(1, Math.min(from ?? 1, lines.length));
    const last = Math.max(first, Math.min(to ?? lines.length, lines.length));
    const head = `${entry.id}, ${entry.role}, lines ${first}-${last} of ${lines.length} (quoted history):`;
    const body = quoteHistory(lines.slice(first - 1, last).join("\n"));
    return `${head}\n${clipText(body, maxTokens - counter.count(head) - 1, counter)}`;
  }
  if (query === undefined) return 'Give "query" to search, or "id" to read one message.';
  const found = recallExcerpts(archive, query, { counter, maxTokens });
  return found.text === "" ? "Nothing in the condensed messages matches. Try other words." : found.text;
}

interface RecallInput {
  readonly query?: string;
  readonly id?: string;
  readonly from?: number;
  readonly to?: number;
}

function readInput(input: unknown): RecallInput {
  let value = input;
  if (typeof value === "string") {
    try {
      value = JSON.parse(value);
    } catch {
      return { query: value as string };
    }
  }
  if (typeof value !== "object" || value === null) return {};
  const { query, id, from_line: from, to_line: to } = value as Record<string, unknown>;
  return {
    ...(typeof query === "string" && query.trim() !== "" && { query }),
    ...(typeof id === "string" && id.trim() !== "" && { id: id.trim() }),
    ...(typeof from === "number" && Number.isFinite(from) && { from: Math.floor(from) }),
    ...(typeof to === "number" && Number.isFinite(to) && { to: Math.floor(to) }),
  };
}
