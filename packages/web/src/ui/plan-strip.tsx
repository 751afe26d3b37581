import { formatCount, formatTokens, plural } from "./format.ts";
import { Legend } from "./legend.tsx";

export type PlanDecision = "keep" | "clip" | "drop" | "fold";

export interface PlanAtom {
  readonly kind: string;
  /** Message indices, inclusive. */
  readonly first: number;
  readonly last: number;
  readonly tokens: number;
  readonly pinned: boolean;
  readonly decision: PlanDecision;
}

export const decisionWords: Readonly<Record<PlanDecision, string>> = {
  keep: "kept",
  clip: "clipped",
  drop: "left out",
  fold: "folded",
};

const colors: Readonly<Record<PlanDecision, string>> = {
  keep: "var(--cat-recent)",
  clip: "var(--cat-draft)",
  drop: "var(--alarm)",
  fold: "var(--cat-summary)",
};

// By shape as well as colour: kept is full, clipped half as high, folded hatched, left out only an outline.
const styles: Readonly<Record<PlanDecision, object>> = {
  keep: { background: colors.keep },
  clip: { background: `linear-gradient(transparent 45%, ${colors.clip} 45%)` },
  drop: { border: `1.5px dashed ${colors.drop}` },
  fold: {
    background: `repeating-linear-gradient(-45deg, ${colors.fold} 0 3px, transparent 3px 5px)`,
    border: `1px solid ${colors.fold}`,
  },
};

/** The conversation as a strip: each piece is as wide as its tokens and coloured by the plan's decision. */
export function PlanStrip({ atoms, label = "Plan" }: { readonly atoms: readonly PlanAtom[]; readonly label?: string }) {
  if (atoms.length === 0) return null;
  const runs = joinRuns(atoms);
  const seen = [...new Set(atoms.map(({ decision }) => decision))];
  return (
    <figure>
      <div
        role="img"
        aria-label={`${label}: ${describePlan(atoms)}`}
        className="flex h-8 w-full gap-px overflow-hidden rounded-md bg-sunken"
      >
        {runs.map((run) => (
          <span
            key={run.first}
            title={`${rangeWords(run)} ${decisionWords[run.decision]}${run.pinned ? ", pinned" : ""} · ${formatCount(run.tokens)} tokens`}
            className="min-w-[3px] basis-0"
            style={{ flexGrow: Math.max(1, run.tokens), ...styles[run.decision] }}
          />
        ))}
      </div>
      <figcaption>
        <Legend
          items={seen.map((decision) => ({
            name: `${decisionWords[decision]} · ${formatTokens(sumOf(atoms, decision))} tokens`,
            color: colors[decision],
            look: decision === "fold" ? "hatch" : "box",
          }))}
        />
      </figcaption>
    </figure>
  );
}

export function describePlan(atoms: readonly PlanAtom[]): string {
  return (["keep", "clip", "fold", "drop"] as const)
    .map((decision) => {
      const messages = atoms
        .filter((atom) => atom.decision === decision)
        .reduce((sum, { first, last }) => sum + last - first + 1, 0);
      return messages === 0
        ? ""
        : `${plural(messages, "message")} ${decisionWords[decision]} (${formatTokens(sumOf(atoms, decision))} tokens)`;
    })
    .filter((words) => words !== "")
    .join(", ");
}

export const rangeWords = ({ first, last }: Pick<PlanAtom, "first" | "last">): string =>
  first === last ? `Message ${first + 1}` : `Messages ${first + 1}–${last + 1}`;

const sumOf = (atoms: readonly PlanAtom[], decision: PlanDecision): number =>
  atoms.reduce((sum, atom) => sum + (atom.decision === decision ? atom.tokens : 0), 0);

/** Neighbours with the same decision are drawn as one when there are too many to tell apart. */
function joinRuns(atoms: readonly PlanAtom[]): readonly PlanAtom[] {
  if (atoms.length <= 120) return atoms;
  const runs: PlanAtom[] = [];
  for (const atom of atoms) {
    const before = runs.at(-1);
    if (before?.decision === atom.decision && before.pinned === atom.pinned) {
      runs[runs.length - 1] = { ...before, last: atom.last, tokens: before.tokens + atom.tokens };
    } else runs.push(atom);
  }
  return runs;
}
