import { Link } from "@tanstack/react-router";
import type { RequestSummary } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { formatSeconds } from "../ui/format.ts";
import { clock, dollars, outcomeLabels, outcomeTone, whyOutcome } from "./outcome-words.ts";
import { SizeBar } from "./size-bar.tsx";

/** The columns of a row, shared with the line of headings above. */
export const rowColumns =
  "lg:grid lg:grid-cols-[5.5rem_minmax(5rem,0.9fr)_minmax(5rem,1fr)_minmax(10rem,1.6fr)_8rem_4.5rem_4.5rem_4.5rem_4.5rem_4.5rem] lg:items-center lg:gap-3";

interface RequestRowProps {
  readonly request: RequestSummary;
  /** The largest request in view: what a full bar means. */
  readonly scale: number;
}

export function RequestRow({ request, scale }: RequestRowProps) {
  const { fold, timing, usage, state } = request;
  const cachedShare = usage === null || usage.input === 0 ? null : Math.round((100 * usage.cached) / usage.input);
  return (
    <Link
      to="/console/$"
      params={{ _splat: `requests/${request.id}` }}
      data-row
      className={`flex flex-wrap items-center gap-x-3 gap-y-1 border-t border-line px-4 py-2 text-sm first:border-t-0 hover:bg-sunken focus-visible:bg-sunken focus-visible:-outline-offset-2 ${rowColumns}`}
    >
      <span className="text-ink-soft tabular-nums">{clock(request.at)}</span>
      <span className="truncate font-medium">{request.client === "" ? "unnamed" : request.client}</span>
      <span className="truncate text-ink-soft" title={request.requestedModel}>
        {request.model === "" ? "–" : request.model}
      </span>
      <span className="w-full lg:w-auto">
        <SizeBar received={fold.tokensBefore} sent={fold.tokensAfter} scale={scale} exact={fold.exact} />
      </span>
      <span title={whyOutcome(request)}>
        <Badge tone={outcomeTone(fold.outcome)}>{outcomeLabels[fold.outcome]}</Badge>
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">added </span>
        {formatSeconds(timing.overhead)}
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">took </span>
        {state === "running" ? "–" : formatSeconds(timing.total)}
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">cost </span>
        {request.costMicros === null ? "–" : dollars(request.costMicros)}
      </span>
      <span className="text-right text-ink-soft tabular-nums">
        <span className="lg:sr-only">from cache </span>
        {cachedShare === null ? "–" : `${cachedShare}%`}
      </span>
      <span
        className={`text-right tabular-nums ${state === "failed" ? "font-medium text-alarm-ink" : "text-ink-soft"}`}
      >
        {state === "running" ? "running…" : state === "cancelled" ? "stopped" : request.status}
      </span>
    </Link>
  );
}
