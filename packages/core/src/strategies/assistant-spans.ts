import type { Draft, Strategy } from "../plan/draft.ts";
import type { Span } from "../plan/plan.ts";
import { hold } from "../plan/view.ts";
import type { Keep } from "../presets/preset.ts";

export interface AssistantSpansOptions {
  /** The newest messages that stay. */
  readonly retention: Keep;
  readonly replace: "digest" | "summary" | "nothing";
  readonly maxFrameTokens?: number;
}

/** What a frame may cost: this share of its span, or up to `smallFrame` tokens where that is still less than the span. */
const frameShare = 0.6;
const smallFrame = 120;
/** A frame is not made smaller than this to reach the low-water mark, and than the last to fit the budget. */
const leastShare = 0.2;
const leastFrame = 48;
const tightFrame = 24;

/**
 * What the user wrote stays word for word. The earliest stretch of assistant and tool messages between two user
 * messages becomes one message, then the next, until the request is small enough. One message is a stretch too.
 * Exchanges go whole or not at all, so a running tool loop is never broken. A stretch that an earlier fold replaced keeps
 * its frame: later folds only add.
 *
 * @example const strategy = assistantSpans({ retention: { messages: 6 }, replace: "digest" });
 */
export function assistantSpans(options: AssistantSpansOptions): Strategy {
  const most = options.replace === "nothing" ? 0 : (options.maxFrameTokens ?? 2000);
  return function spans(draft, goal) {
    const { atoms, holds, start, earlier } = draft.view;
    const end = retainedFrom(atoms, options.retention.messages ?? 0);
    const by: Span["by"] = options.replace === "summary" ? "summary" : "digest";
    const isWork = (atom: number) => atom < end && holds[atom] === hold.free && atoms[atom]!.kind !== "user";
    const fresh: Fresh[] = [];
    const left: (readonly [number, number])[] = [];
    const foldNew = (from: number, to: number) => {
      const { span, tokens } = foldAll(draft, from, to, by);
      const frame = Math.min(most, Math.max(Math.floor(tokens * frameShare), Math.min(tokens - 1, smallFrame)));
      draft.setFrame(span, frame);
      fresh.push({ span, tokens, frame });
    };

    for (let atom = start; atom < end; atom++) {
      if (!isWork(atom)) continue;
      const before = earlier.get(atoms[atom]!.first);
      let next = atom;
      while (before !== undefined && isWork(next) && atoms[next]!.last <= before.last) next++;
      const done = next;
      while (isWork(next)) next++;
      // Done earlier, and nothing was added to it or no room is needed.
      const asBefore = before !== undefined && (done === next || draft.total <= goal.target);
      if (!asBefore) {
        if (draft.total > goal.target) foldNew(atom, next);
      } else if (before.frame !== undefined) {
        draft.setFrame(foldAll(draft, atom, done, by).span, before.frame.tokens);
      } else {
        left.push([atom, done]);
      }
      atom = next;
    }
    // What stayed last time because its frame gained nothing is tried again only when it must go.
    for (const [from, to] of left) if (draft.total > goal.budget) foldNew(from, to);
    shrinkFrames(draft, fresh, goal.target, (tokens) => Math.max(leastFrame, Math.floor(tokens * leastShare)));
    shrinkFrames(draft, fresh, goal.budget, () => tightFrame);
  };
}

interface Fresh {
  readonly span: number;
  /** What the span stands for. */
  readonly tokens: number;
  /** What its frame may cost. */
  frame: number;
}

function foldAll(draft: Draft, from: number, to: number, by: Span["by"]): { span: number; tokens: number } {
  const span = draft.openSpan(by);
  let tokens = 0;
  for (let atom = from; atom < to; atom++) {
    tokens += draft.tokensOf(atom);
    draft.fold(atom, span);
  }
  return { span, tokens };
}

/** Makes frames smaller, all by the same share, until the request meets the line or every frame is at its least. */
function shrinkFrames(draft: Draft, spans: readonly Fresh[], line: number, least: (tokens: number) => number): void {
  const sum = spans.reduce((total, { frame }) => total + frame, 0);
  const over = draft.total - line;
  if (over <= 0 || sum === 0) return;
  const share = Math.max(0, 1 - over / sum);
  for (const fresh of spans) {
    fresh.frame = Math.min(fresh.frame, Math.max(Math.floor(fresh.frame * share), least(fresh.tokens)));
    draft.setFrame(fresh.span, fresh.frame);
  }
}

function retainedFrom(atoms: readonly { first: number; last: number }[], messages: number): number {
  let kept = 0;
  let atom = atoms.length;
  while (atom > 0 && kept < messages) {
    atom--;
    kept += atoms[atom]!.last - atoms[atom]!.first + 1;
  }
  return atom;
}
