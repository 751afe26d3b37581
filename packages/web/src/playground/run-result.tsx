import { useId } from "react";
import type { PlaygroundRunResult } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { DecisionTable } from "../ui/decision-table.tsx";
import { formatCount, formatSeconds, formatTokens } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { PlanStrip } from "../ui/plan-strip.tsx";
import { ReasonList } from "../ui/reason-list.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { LossView } from "./loss-view.tsx";
import { ResultMessages } from "./result-messages.tsx";
import { presetWords } from "./run-choice.ts";

const outcomes: Readonly<Record<PlaygroundRunResult["outcome"], string>> = {
  fits: "fits as it is",
  "below-minimum": "below minimum",
  clipped: "results clipped",
  reused: "fold reused",
  folded: "folded",
  failed: "cannot fit",
};

interface RunResultProps {
  readonly run: PlaygroundRunResult;
  /** The smallest outcome of those compared that fit. */
  readonly best: boolean;
}

export function RunResult({ run, best }: RunResultProps) {
  const { tokens, plan, loss } = run;
  const titleId = useId();
  const name = presetWords[run.preset].name;
  return (
    <article aria-labelledby={titleId} className="min-w-0 space-y-3 rounded-2xl border border-line bg-surface p-4">
      <header className="flex flex-wrap items-center gap-2">
        <h3 id={titleId} className="font-semibold">
          {name}
        </h3>
        <Badge tone={run.outcome === "failed" ? "alarm" : run.outcome === "folded" ? "fold" : "plain"}>
          {outcomes[run.outcome]}
        </Badge>
        {best && <Badge tone="good">smallest</Badge>}
        <span className="ml-auto text-sm text-ink-soft tabular-nums">{formatSeconds(run.durationMs)}</span>
      </header>
      {run.error !== null && <Notice tone="error">{run.error.detail}</Notice>}
      {tokens !== null && (
        <div>
          <p className="text-2xl font-semibold tabular-nums">
            {formatTokens(tokens.before)} <span aria-hidden="true">→</span>
            <span className="sr-only"> tokens before, </span> {formatTokens(tokens.after)}
            <span className="ml-2 text-sm font-normal text-ink-soft">
              {tokens.after === tokens.before
                ? "unchanged"
                : `${tokens.exact ? "" : "about "}${Math.round(100 - (100 * tokens.after) / tokens.before)}% less`}
            </span>
          </p>
          <p className="text-sm text-ink-soft">
            {formatCount(tokens.after)} of {formatCount(tokens.before)} tokens; budget {formatCount(tokens.budget)},
            aimed at {formatCount(tokens.target)}, window {formatCount(tokens.window)}
          </p>
        </div>
      )}
      {plan !== null && plan.atoms.length > 0 && <PlanStrip atoms={plan.atoms} label={`Plan of ${name}`} />}
      {run.warnings.map(({ code, message }) => (
        <Notice key={code + message} tone="warn">
          {message}
        </Notice>
      ))}
      {plan !== null && (
        <Tabs
          label={`Result of ${name}`}
          tabs={[
            { id: "why", label: "Why", content: <Why plan={plan} /> },
            {
              id: "messages",
              label: `Messages (${run.messages.length})`,
              content: <ResultMessages messages={run.messages} />,
            },
            {
              id: "lost",
              label: `Lost${loss === null ? "" : ` (${loss.lost.length})`}`,
              content: <LossView loss={loss} />,
            },
          ]}
        />
      )}
    </article>
  );
}

function Why({ plan }: { readonly plan: NonNullable<PlaygroundRunResult["plan"]> }) {
  return (
    <div className="space-y-3">
      <ReasonList reasons={plan.reasons} />
      {plan.atoms.length > 0 && <DecisionTable atoms={plan.atoms} />}
    </div>
  );
}
