import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SummaryDetail } from "../api/types.gen.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { formatCost, formatCount, formatPercent, formatSeconds, formatTime, plural } from "../ui/format.ts";

const writers = {
  model: "a model",
  extractive: "the built-in summarizer, no model",
  edited: "a person",
  imported: "came with an import",
} as const;

export function SummaryDetails({ detail }: { readonly detail: SummaryDetail }) {
  const { loss, modelUsage } = detail;
  const saved = detail.originalTokens === 0 ? 0 : (1 - detail.summaryTokens / detail.originalTokens) * 100;
  return (
    <div className="grid grid-cols-1 gap-3 text-sm">
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <Fact name="Written by">
          {writers[detail.origin]}
          {detail.model !== null && ` (${detail.model})`}
        </Fact>
        <Fact name="When">
          {formatTime(detail.createdAt)}, {detail.type === "auto" ? "automatically" : "by hand"}
        </Fact>
        <Fact name="Tokens">
          {formatCount(detail.originalTokens)} → {formatCount(detail.summaryTokens)} ({formatPercent(saved)} less)
        </Fact>
        {detail.durationMs !== null && <Fact name="Took">{formatSeconds(detail.durationMs)}</Fact>}
        <Fact name="Cost">
          {formatCost(detail.costUsd)}
          {modelUsage !== null &&
            ` (${formatCount(modelUsage.inputTokens)} in, ${formatCount(modelUsage.outputTokens)} out)`}
        </Fact>
        <Fact name="Version">{detail.version}</Fact>
        {detail.instructions !== null && <Fact name="Focus">{detail.instructions}</Fact>}
      </dl>
      <Disclosure summary="What the model gets, word for word">
        <pre tabIndex={0} className="max-h-72 overflow-y-auto font-mono text-xs whitespace-pre-wrap wrap-anywhere">
          {detail.sentAs}
        </pre>
      </Disclosure>
      {loss === null ? (
        <p className="text-ink-soft">What was lost is not known for this version.</p>
      ) : (
        <div>
          <p>
            <strong className="font-semibold">{formatCount(loss.kept + loss.repaired)}</strong> of{" "}
            {plural(loss.checked, "fact")} checked are still there
            {loss.repaired > 0 && `, ${formatCount(loss.repaired)} of them put back after the check`}.
          </p>
          {loss.lost.length > 0 && (
            <>
              <p className="mt-1 font-medium">Lost</p>
              <ul className="list-disc pl-5">
                {loss.lost.slice(0, 50).map(({ kind, value, messageId }) => (
                  <li key={`${kind}${value}`}>
                    <span className="text-ink-soft">{kind}</span>{" "}
                    {messageId === null ? (
                      value
                    ) : (
                      <Link
                        to="/s/$sessionId"
                        params={{ sessionId: detail.sessionId }}
                        hash={`m-${messageId}`}
                        className="underline decoration-dotted underline-offset-2"
                      >
                        {value}
                      </Link>
                    )}
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-soft">{name}</dt>
      <dd>{children}</dd>
    </>
  );
}
