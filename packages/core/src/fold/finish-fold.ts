import { MidfoldError } from "../errors/midfold-error.ts";
import { applyEdits } from "../plan/apply-edits.ts";
import type { Edit, FoldRecord } from "../plan/fold-record.ts";
import { verify } from "../plan/verify.ts";
import { writeEdits } from "../plan/write-edits.ts";
import type { FoldResult } from "./fold-options.ts";
import { weighEdited } from "./reuse-record.ts";
import type { FoldJob } from "./start-fold.ts";
import { folded } from "./to-result.ts";
import type { SpanText } from "./write-frames.ts";

/** A finished fold, or by how many tokens it came out over the budget. */
export type Finished<Wire> = { readonly result: FoldResult<Wire> } | { readonly over: number };

/** Applies a planned fold, counts what came out, and checks it before anybody sees it. */
export function finishFold<Wire>(job: FoldJob<Wire>, texts: readonly SpanText[]): Finished<Wire> {
  const { conversation, view, pairs, plan } = job;
  const { format, preset, limits, options, messages } = conversation;
  const edits = writeEdits({
    plan,
    view,
    pairs,
    traits: format.traits,
    frameRole: preset.frame.role,
    frames: texts.map((text) => text.frame),
  });
  const edited = applyEdits(messages, edits);
  const after = weighEdited(conversation, edited);
  if (after > limits.budget) return { over: after - limits.budget };
  const problems = verify({
    before: messages,
    after: edited,
    tokens: after,
    budget: limits.budget,
    traits: format.traits,
    pin: options.pin,
  });
  if (problems.length > 0) {
    throw new MidfoldError("INVARIANT_BROKEN", `The folded conversation failed its check: ${problems.join("; ")}.`, {
      details: { problems, preset: preset.name, rungs: plan.rungs },
    });
  }
  const exact = { ...plan, tokens: { ...plan.tokens, after } };
  const result = folded(conversation, edited, exact, toRecord(job, edits, texts, after), "folded");
  const losses = texts.flatMap((text) => text.loss ?? []);
  return { result: losses.length === 0 ? result : { ...result, losses } };
}

function toRecord(
  job: FoldJob<unknown>,
  edits: readonly Edit[],
  texts: readonly SpanText[],
  after: number,
): FoldRecord {
  const { conversation } = job;
  const covers = edits.reduce((end, edit) => Math.max(end, endOf(edit)), 1);
  const prefix = conversation.prefix(covers);
  const model = texts.find((text) => text.model !== undefined)?.model;
  return {
    id: `${prefix}-${covers.toString(36)}`,
    prefix,
    covers,
    preset: conversation.preset.name,
    edits,
    texts: texts.map((text) => text.text),
    tokens: { before: conversation.tokens, after },
    by: texts.some((text) => text.by === "summary") ? "summary" : texts.length > 0 ? "digest" : "none",
    ...(model === undefined ? {} : { model }),
  };
}

/** The first message the edit does not depend on. */
function endOf(edit: Edit): number {
  switch (edit.do) {
    case "drop":
      return edit.last + 1;
    case "insert":
      return edit.before;
    case "parts":
      return edit.at + 1;
  }
}
