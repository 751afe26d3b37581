import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { Overview, RequestSummary } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { EyeIcon } from "../ui/icons.tsx";
import { ago, outcomeLabel, outcomeTone, whyOutcome } from "./outcome-words.ts";

interface StatusStripProps {
  readonly overview: Overview;
  readonly last: RequestSummary | undefined;
  readonly connected: boolean;
}

/** Shows whether the gateway is in use: the last request, its client, and why it was folded or not. */
export function StatusStrip({ overview, last, connected }: StatusStripProps) {
  const now = useNow(last === undefined ? 60_000 : 5_000);
  const on = overview.folding;
  return (
    <section aria-label="Is it on?" className="rounded-2xl border border-line bg-surface p-4">
      <div className="flex flex-wrap items-center gap-2">
        <span aria-hidden="true" className={`size-2.5 rounded-full ${on ? "bg-fine" : "bg-warn"}`} />
        <strong className="font-semibold">{on ? "Folding is on" : "Folding is off"}</strong>
        {overview.capture && (
          <Badge tone="warn">
            <EyeIcon size={13} /> Content is captured
          </Badge>
        )}
        <Badge tone={connected ? "good" : "warn"}>{connected ? "live" : "reconnecting"}</Badge>
        <span className="text-sm text-ink-soft sm:ml-auto">
          {plural(overview.requests, "request")} · {formatCount(overview.folded)} folded ·{" "}
          {formatCount(overview.failed)} failed · up{" "}
          {ago(overview.startedAt, now).replace(" ago", "").replace("just now", "a moment")}
        </span>
      </div>
      {!on && (
        <p className="mt-2 text-sm">
          Requests pass through as they are. Set <code className="font-mono">fold.enabled</code> in midfold.yaml to
          change that.
        </p>
      )}
      {last === undefined ? (
        <p className="mt-2 text-sm text-ink-soft">No request has come through this server since it started.</p>
      ) : (
        <p className="mt-2 text-sm">
          <span className="text-ink-soft">Last request {ago(last.at, now)} from </span>
          <strong className="font-medium">{last.client === "" ? "an unnamed client" : last.client}</strong>
          <span className="text-ink-soft">
            {" "}
            for {last.requestedModel === "" ? "no model" : last.requestedModel}
            {last.upstream === null ? "" : ` by ${last.upstream}`}
          </span>{" "}
          <Badge tone={outcomeTone(last.fold.outcome)}>{outcomeLabel(last.fold.outcome, last.state)}</Badge>{" "}
          <Link
            to="/console/$"
            params={{ _splat: `requests/${last.id}` }}
            className="underline decoration-line-strong underline-offset-2 hover:decoration-accent"
          >
            {whyOutcome(last)}
          </Link>
        </p>
      )}
    </section>
  );
}

export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
