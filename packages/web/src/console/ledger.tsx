import type { SavingsRow } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { formatCount, formatTokens, plural } from "../ui/format.ts";
import { netSavings } from "./net-savings.ts";
import { dollars } from "./outcome-words.ts";

/** Gross savings, minus their costs. Says which figures are measured, estimated or unknown. */
export function Ledger({ total }: { readonly total: SavingsRow }) {
  const { low, high } = netSavings(total);
  const removed = total.tokensBefore - total.tokensAfter;
  const priced = total.priced > 0;
  const range = (from: number, to: number) => (from === to ? dollars(from) : `${dollars(from)} to ${dollars(to)}`);
  const lines: readonly Line[] = [
    {
      name: "Gross: tokens taken out",
      tokens: `${formatCount(removed)} tokens`,
      money: priced ? range(total.savedCachedMicros, total.savedMicros) : null,
      how: "From cached to full input price: a client that caches would have paid the lower for most of them.",
    },
    {
      name: "Less: summaries written by a model",
      tokens: plural(total.summaries, "call"),
      money:
        total.summaryMicros === null ? null : total.summaries === 0 ? "$0.00" : `− ${dollars(total.summaryMicros)}`,
      how:
        total.summaries === 0 ? "Folds so far were digests, which need no model." : "As billed by the summary's model.",
    },
    {
      name: "Less: sending a newly folded start again, which was cached before",
      tokens: `${formatCount(total.cacheWrite)} tokens written to caches`,
      money: priced ? `− ${dollars(total.rewriteMicros)}` : null,
      how: "On each new fold, what was not read from the cache, at its price above a cached read.",
    },
  ];
  return (
    <section aria-labelledby="ledger" className="rounded-2xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <h2 id="ledger" className="font-semibold">
          Savings
        </h2>
        <Badge>tokens measured</Badge>
        <Badge tone={priced ? "plain" : "warn"}>{priced ? "money estimated" : "money not known"}</Badge>
      </div>
      <p className="mt-1 text-3xl font-semibold tabular-nums">
        {formatTokens(removed)} tokens{" "}
        <span className="text-base font-normal text-ink-soft">
          less sent, {total.tokensBefore === 0 ? 0 : Math.round((100 * removed) / total.tokensBefore)} % of what came in
          {low !== null && high !== null && priced && ` · ${range(low, high)} net`}
        </span>
      </p>
      <dl className="mt-2 divide-y divide-line">
        {lines.map(({ name, tokens, money, how }) => (
          <div key={name} className="grid gap-x-4 py-2 sm:grid-cols-[minmax(0,1fr)_auto_11rem]">
            <dt>
              {name}
              <span className="block text-xs text-ink-soft">{how}</span>
            </dt>
            <dd className="text-sm text-ink-soft tabular-nums sm:text-right">{tokens}</dd>
            <dd className="tabular-nums sm:text-right">{money ?? "not known"}</dd>
          </div>
        ))}
        <div className="grid gap-x-4 py-2 font-semibold sm:grid-cols-[minmax(0,1fr)_11rem]">
          <dt>Net</dt>
          <dd className={`tabular-nums sm:text-right ${low !== null && low < 0 ? "text-alarm-ink" : ""}`}>
            {low === null || high === null ? "not known" : range(low, high)}
          </dd>
        </div>
      </dl>
      {low !== null && low < 0 && (
        <p className="text-sm text-alarm-ink">
          With a warm cache the folds so far cost more than they saved. That evens out as the folded conversation goes
          on: each further request is smaller.
        </p>
      )}
      {!priced && (
        <p className="text-sm text-ink-soft">
          No request so far had a model with known prices and a usage report. Set prices under{" "}
          <code className="font-mono">models:</code> in midfold.yaml.
        </p>
      )}
      {priced && total.priced < total.requests && (
        <p className="text-sm text-ink-soft">
          Money covers {plural(total.priced, "request")} of {formatCount(total.requests)}; the others have no known
          price.
        </p>
      )}
    </section>
  );
}

interface Line {
  readonly name: string;
  readonly tokens: string;
  readonly money: string | null;
  readonly how: string;
}
