import { frame, parseFrame } from "../digest/frame.ts";
import type { Edit, FoldRecord } from "../plan/fold-record.ts";
import type { PreviousSummary } from "./fold-options.ts";

/**
 * The summary of a fold as it is sent. Pass it as `previous` where the messages that were folded are not at hand any more.
 *
 * @example await fold(newer, { model: "gpt-4o", preset: "chat", previous: previousOf(record) });
 */
export function previousOf({ edits }: Pick<FoldRecord, "edits" | "covers">): PreviousSummary | undefined {
  const insert = edits.find(isFrameEdit);
  if (insert === undefined) return undefined;
  const { text } = insert.parts[0];
  const role = insert.role === "tool" ? "user" : insert.role;
  return { text, covers: parseFrame(text)!.covers, role };
}

/**
 * The same fold with its summary in other words, such as a person's.
 *
 * @example const state = withText(record, "They chose Rust, and Mia writes the parser.");
 */
export function withText(record: FoldRecord, text: string): FoldRecord {
  const at = record.edits.findIndex(isFrameEdit);
  const insert = record.edits[at];
  if (insert === undefined || !isFrameEdit(insert)) return record;
  const { covers } = parseFrame(insert.parts[0].text)!;
  const framed = frame({ kind: "summary", text, covers });
  const { model: _, ...rest } = record;
  return {
    ...rest,
    edits: record.edits.with(at, { ...insert, parts: [{ type: "text", text: framed }] }),
    texts: [text],
    by: "summary",
  };
}

export interface SummaryFacts {
  readonly text: string;
  /** How many messages it stands for, all of them before the ones that are kept. */
  readonly covers: number;
  /** Tokens of those messages and of the summary. */
  readonly tokens: FoldRecord["tokens"];
}

/**
 * The record of a summary that no fold wrote: one of an earlier version, or from another program.
 *
 * @example const state = recordOf({ text: "They chose Rust.", covers: 12, tokens: { before: 9_000, after: 200 } });
 */
export function recordOf({ text, covers, tokens }: SummaryFacts): FoldRecord {
  const framed = frame({ kind: "summary", text, covers });
  return {
    id: "",
    // No conversation has this prefix: the record is carried on, never met.
    prefix: "",
    covers,
    preset: "chat",
    edits: [
      { do: "insert", before: 0, role: "system", parts: [{ type: "text", text: framed }] },
      { do: "drop", first: 0, last: covers - 1 },
    ],
    texts: [text],
    tokens,
    by: "summary",
  };
}

type FrameEdit = Extract<Edit, { do: "insert" }> & { readonly parts: readonly [{ type: "text"; text: string }] };

function isFrameEdit(edit: Edit): edit is FrameEdit {
  const [part] = edit.do === "insert" ? edit.parts : [];
  return part?.type === "text" && parseFrame(part.text) !== undefined;
}
