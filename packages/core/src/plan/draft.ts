import { MidfoldError } from "../errors/midfold-error.ts";
import type { Cut, Decision, Plan, Reason, Span } from "./plan.ts";
import { type Goal, hold, type View } from "./view.ts";

interface DraftSpan {
  readonly atoms: number[];
  messages: number;
  tokens: number;
  frame: number;
  readonly by: Span["by"];
}

const acts = ["keep", "clip", "drop", "fold"] as const;
const keep: Decision = { do: "keep" };
const drop: Decision = { do: "drop" };
const untold: Decision = { do: "drop", untold: true };

/**
 * A plan while strategies work on it: what happens to each atom, and what the request would cost. Every change keeps
 * `total` right, so a strategy only asks `draft.total > goal.target`. Not shared, not seen outside planning.
 */
export class Draft {
  readonly view: View;
  readonly #acts: Uint8Array;
  readonly #tokens: Float64Array;
  readonly #span: Int32Array;
  readonly #spans: DraftSpan[] = [];
  readonly #reasons: Reason[] = [];
  readonly #cuts = new Map<number, Cut>();
  #untouched: number;
  /** Tokens of the whole request as drafted. */
  total: number;
  readonly before: number;

  constructor(view: View) {
    this.view = view;
    const { atoms } = view;
    this.#acts = new Uint8Array(atoms.length);
    this.#untouched = atoms.length;
    this.#tokens = new Float64Array(atoms.length);
    this.#span = new Int32Array(atoms.length).fill(-1);
    let total = view.fixed;
    for (let i = 0; i < atoms.length; i++) {
      this.#tokens[i] = atoms[i]!.tokens;
      total += atoms[i]!.tokens;
    }
    this.total = total;
    this.before = total;
  }

  /** Tokens the atom costs as drafted: 0 once it is folded or dropped. */
  tokensOf(atom: number): number {
    return this.#tokens[atom]!;
  }

  remains(atom: number): boolean {
    return this.#acts[atom]! < 2;
  }

  drop(atom: number): void {
    if (!this.remains(atom)) return;
    this.#remove(atom);
    this.#act(atom, 2);
  }

  /** Opens a span that atoms can be folded into; its frame costs nothing until `setFrame`. */
  openSpan(by: Span["by"]): number {
    return this.#spans.push({ atoms: [], messages: 0, tokens: 0, frame: 0, by }) - 1;
  }

  fold(atom: number, span: number): void {
    if (!this.remains(atom)) return;
    const { first, last, tokens } = this.view.atoms[atom]!;
    const into = this.#spans[span]!;
    this.#remove(atom);
    this.#act(atom, 3);
    this.#span[atom] = span;
    into.atoms.push(atom);
    into.messages += last - first + 1;
    into.tokens += tokens;
  }

  /** Fixes what a span's frame may cost. Zero turns the span into a plain drop. */
  setFrame(span: number, maxTokens: number): void {
    const into = this.#spans[span]!;
    this.total += maxTokens - into.frame;
    into.frame = maxTokens;
  }

  get openSpans(): readonly { readonly index: number; readonly tokens: number; readonly frame: number }[] {
    return this.#spans.map(({ tokens, frame }, index) => ({ index, tokens, frame }));
  }

  /** Makes one message of a kept atom smaller. A second cut of the same message only ever makes it smaller still. */
  cut(atom: number, cut: Cut): void {
    if (!this.remains(atom)) return;
    const { message } = cut;
    const current = this.#cuts.get(message);
    const now = this.tokensOfMessage(message);
    if (cut.toTokens >= now && cut.withoutReasoning !== true) return;
    const toTokens = Math.min(now, cut.toTokens);
    this.#cuts.set(message, { ...current, ...cut, toTokens });
    this.#tokens[atom]! -= now - toTokens;
    this.total -= now - toTokens;
    this.#act(atom, 1);
  }

  /** What a message costs as drafted, given that its atom remains. */
  tokensOfMessage(message: number): number {
    return this.#cuts.get(message)?.toTokens ?? this.view.weights[message]!;
  }

  /** Runs one strategy and notes what it freed. */
  run(rung: string, rule: string, strategy: Strategy, goal: Goal): void {
    const before = this.total;
    const untouched = this.#untouched;
    strategy(this, goal);
    if (this.total === before) return;
    this.#reasons.push({ rung, rule, atoms: untouched - this.#untouched, freed: before - this.total });
  }

  /** The finished plan. Throws CONTEXT_OVERFLOW, naming the sizes, when the draft is over the budget. */
  finish(goal: Goal): Plan {
    if (this.total > goal.budget) throw overflow(this, goal);
    const spans: Span[] = [];
    const spanIndex = this.#spans.map((span) => {
      if (span.frame === 0 || span.atoms.length === 0) return -1;
      const { frame, ...rest } = span;
      span.atoms.sort((a, b) => a - b);
      return spans.push({ ...rest, maxTokens: frame }) - 1;
    });
    const folds = spans.map((_, span): Decision => ({ do: "fold", span }));
    const decisions: Decision[] = [];
    for (let atom = 0; atom < this.#acts.length; atom++) {
      const act = acts[this.#acts[atom]!];
      if (act === "clip") decisions.push({ do: "clip", toTokens: this.#tokens[atom]! });
      else if (act === "keep") decisions.push(keep);
      else {
        decisions.push(act === "drop" ? drop : (folds[spanIndex[this.#span[atom]!]!] ?? untold));
      }
    }
    return {
      atoms: this.view.atoms,
      decisions,
      reasons: this.#reasons,
      spans,
      cuts: [...this.#cuts.values()].sort((a, b) => a.message - b.message),
      rungs: this.#reasons.map((reason) => reason.rung),
      tokens: { before: this.before, after: this.total, ...goal, fixed: this.view.fixed },
    };
  }

  #remove(atom: number): void {
    this.total -= this.#tokens[atom]!;
    this.#tokens[atom] = 0;
    const { first, last } = this.view.atoms[atom]!;
    if (this.#cuts.size > 0) for (let i = first; i <= last; i++) this.#cuts.delete(i);
  }

  #act(atom: number, act: number): void {
    if (this.#acts[atom] === 0) this.#untouched--;
    this.#acts[atom] = act;
  }
}

/** One way of making a conversation smaller. Works on the draft until it meets the goal or has done all it can. */
export type Strategy = (draft: Draft, goal: Goal) => void;

/** A strategy with its name and, for people, what it does. */
export interface Rung {
  readonly name: string;
  readonly rule: string;
  readonly strategy: Strategy;
  /** Runs also where everything fits: somebody asked for it. */
  readonly always?: boolean;
}

function overflow(draft: Draft, goal: Goal): MidfoldError {
  const { view } = draft;
  const sizes = { fixed: view.fixed, system: 0, lastUserMessage: 0, pinned: 0, kept: 0 };
  view.atoms.forEach((atom, index) => {
    if (!draft.remains(index)) return;
    if (index < view.start) sizes.system += atom.tokens;
    else if (index === view.lastUser) sizes.lastUserMessage += atom.tokens;
    else if (view.holds[index] === hold.untouchable) sizes.pinned += atom.tokens;
    else sizes.kept += draft.tokensOf(index);
  });
  return new MidfoldError(
    "CONTEXT_OVERFLOW",
    `The conversation needs at least ${draft.total} tokens but only ${goal.budget} fit: ` +
      `tools and system beside the messages ${sizes.fixed}, system messages ${sizes.system}, ` +
      `last user message ${sizes.lastUserMessage}, pinned messages ${sizes.pinned}, ` +
      `other messages the settings keep ${sizes.kept}. ${adviceFor(sizes)}, or use a larger window.`,
    { details: { needed: draft.total, budget: goal.budget, ...sizes } },
  );
}

const advice = {
  fixed: "Offer fewer tools",
  system: "Shorten the system messages",
  lastUserMessage: 'Shorten the last user message, or use the preset "agent" or "chat", which clips it',
  pinned: "Pin fewer messages",
  kept: 'Let more go, as the preset "agent" does',
};

/** What to do about the largest of the sizes. */
function adviceFor(sizes: Readonly<Record<keyof typeof advice, number>>): string {
  const [largest] = Object.entries(sizes).sort(([, a], [, b]) => b - a);
  return advice[largest![0] as keyof typeof advice];
}
