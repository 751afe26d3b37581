import { formatCount, plural } from "./format.ts";

export interface PlanReason {
  readonly rung: string;
  readonly rule: string;
  readonly atoms: number;
  readonly freed: number;
}

/** Why a plan is as it is: each rung that acted, what it did, and what that freed. */
export function ReasonList({ reasons }: { readonly reasons: readonly PlanReason[] }) {
  if (reasons.length === 0) return <p className="text-sm text-ink-soft">Nothing had to be shortened or folded.</p>;
  return (
    <ol className="space-y-1.5 text-sm">
      {reasons.map(({ rung, rule, atoms, freed }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a rung can act more than once; the order never changes.
        <li key={index} className="flex flex-wrap items-baseline gap-x-2">
          <code className="rounded bg-sunken px-1.5 py-0.5 font-mono text-xs">{rung}</code>
          <span>{rule}</span>
          <span className="text-ink-soft">
            {plural(atoms, "piece")},{" "}
            {freed >= 0 ? `${formatCount(freed)} tokens freed` : `${formatCount(-freed)} tokens added`}
          </span>
        </li>
      ))}
    </ol>
  );
}
