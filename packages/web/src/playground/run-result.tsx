import { useId, useState } from "react";
import type { LossReport, PlaygroundRunResult } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { DecisionTable } from "../ui/decision-table.tsx";
import { formatCount, formatSeconds, formatTokens, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { PlanStrip } from "../ui/plan-strip.tsx";
import { ReasonList } from "../ui/reason-list.tsx";
import { Tabs } from "../ui/tabs.tsx";
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

const shown = 200;

/** Facts of the transcript that the result no longer contains, by kind. */
function LossView({ loss }: { readonly loss: LossReport | null }) {
  if (loss === null) return <p className="text-sm text-ink-soft">Not checked.</p>;
  const kinds = Map.groupBy(loss.lost.slice(0, shown), ({ kind }) => kind);
  return (
    <div className="space-y-2 text-sm">
      <p>
        {formatCount(loss.checked)} facts found by an extractor that did not write the result: {formatCount(loss.kept)}{" "}
        still there, {formatCount(loss.lost.length)} gone
        {loss.repaired > 0 ? `, ${formatCount(loss.repaired)} added back` : ""}.
      </p>
      {loss.lost.length === 0 && <p className="font-medium">Nothing it could find was lost.</p>}
      {[...kinds].map(([kind, facts]) => (
        <section key={kind} aria-label={`Lost: ${kind}`}>
          <h4 className="font-medium">
            {kind} <span className="font-normal text-ink-soft">{facts.length}</span>
          </h4>
          <ul className="flex flex-wrap gap-1">
            {facts.map(({ value, messageId }, index) => (
              <li
                // biome-ignore lint/suspicious/noArrayIndexKey: the same fact can stand in several messages.
                key={index}
                title={messageId === null ? undefined : `Message ${Number(messageId) + 1}`}
                className="max-w-full rounded bg-alarm-soft px-1.5 py-0.5 font-mono text-xs break-all"
              >
                {value.length > 160 ? `${value.slice(0, 160)}…` : value}
              </li>
            ))}
          </ul>
        </section>
      ))}
      {loss.lost.length > shown && (
        <p className="text-ink-soft">and {plural(loss.lost.length - shown, "more fact", "more facts")}</p>
      )}
    </div>
  );
}

type ResultMessage = PlaygroundRunResult["messages"][number];

const words: Readonly<Record<ResultMessage["origin"], string>> = {
  kept: "as it was",
  changed: "changed",
  inserted: "written by the fold",
};
const classes: Readonly<Record<ResultMessage["origin"], string>> = {
  kept: "border-line",
  changed: "border-[var(--cat-draft)]",
  inserted: "border-fold-line bg-fold",
};
const page = 40;
const shortChars = 400;

function ResultMessages({ messages }: { readonly messages: readonly ResultMessage[] }) {
  const [count, setCount] = useState(page);
  return (
    <div className="space-y-2">
      <ol tabIndex={0} aria-label="Resulting messages" className="max-h-128 space-y-1.5 overflow-y-auto">
        {messages.slice(0, count).map((message, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a result never move.
          <li key={index} className={`rounded-lg border-l-4 py-1 pl-3 text-sm ${classes[message.origin]}`}>
            <p className="text-xs text-ink-soft">
              <span className="font-medium">{message.role}</span> · {words[message.origin]}
              {message.index === null ? "" : ` · ${message.index + 1}`} · {formatTokens(message.tokens)} tokens
            </p>
            <MessageText message={message} />
          </li>
        ))}
      </ol>
      {messages.length > count && (
        <Button onClick={() => setCount(count + 200)}>
          Show {plural(Math.min(200, messages.length - count), "more", "more")}
        </Button>
      )}
    </div>
  );
}

function MessageText({ message }: { readonly message: ResultMessage }) {
  const [whole, setWhole] = useState(message.origin === "inserted");
  const text = message.text === "" ? JSON.stringify(message.parts) : message.text;
  const long = text.length > shortChars;
  return (
    <>
      <p className="break-words whitespace-pre-wrap">{whole || !long ? text : `${text.slice(0, shortChars)}…`}</p>
      {long && (
        <button type="button" className="text-accent underline underline-offset-2" onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}
