import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { wordsOf } from "../api/api-error.ts";
import type { RequestContent, RequestDetail } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { CopyTextButton } from "../ui/copy-button.tsx";
import { DataTable } from "../ui/data-table.tsx";
import { FactList } from "../ui/fact-list.tsx";
import { formatCount, formatSeconds, plural } from "../ui/format.ts";
import { EyeIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { BreakdownView } from "./breakdown.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { clock, dollars, outcomeLabel, outcomeTone, whenItPays, whyOutcome } from "./outcome-words.ts";
import { RequestDiff } from "./request-diff.tsx";
import { SizeBar } from "./size-bar.tsx";
import { WireMessage } from "./wire-message.tsx";
import { writeCurl } from "./write-curl.ts";

export function RequestPage({ id }: { readonly id: string }) {
  const detail = useQuery({
    queryKey: consoleKeys.request(id),
    queryFn: () => consoleApi.getRequest(id),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? 1_000 : false),
  });
  const content = useQuery({
    queryKey: consoleKeys.content(id),
    queryFn: () => consoleApi.getContent(id),
    enabled: detail.data?.hasContent === true,
  });
  if (detail.isPending) return <Spinner />;
  if (detail.error !== null) return <Notice tone="error">{wordsOf(detail.error)}</Notice>;
  return <RequestView request={detail.data} content={content.data} />;
}

interface RequestViewProps {
  readonly request: RequestDetail;
  readonly content: RequestContent | undefined;
}

function RequestView({ request, content }: RequestViewProps) {
  const { fold } = request;
  const before = Array.isArray(content?.before) ? content.before : undefined;
  const curl = writeCurl(request, before, location.origin);
  return (
    <>
      <section aria-label="Request" className="space-y-3 rounded-2xl border border-line bg-surface p-4">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-semibold">
            {request.client === "" ? "Unnamed client" : request.client} at {clock(request.at)}
          </h2>
          <Badge tone={outcomeTone(fold.outcome)}>{outcomeLabel(fold.outcome, request.state)}</Badge>
          <Badge tone={request.state === "failed" ? "alarm" : "plain"}>
            {request.state === "running" ? "running" : `${request.status} ${request.errorCode ?? request.state}`}
          </Badge>
          {request.hasContent && (
            <Badge tone="warn">
              <EyeIcon size={13} /> Content is captured
            </Badge>
          )}
          <span className="ml-auto">
            <CopyTextButton text={curl} label="Copy as curl" />
          </span>
        </div>
        <p className="font-mono text-xs break-all text-ink-soft">{request.id}</p>
        <SizeBar
          received={fold.tokensBefore}
          sent={fold.tokensAfter}
          scale={Math.max(fold.tokensBefore, fold.window)}
          exact={fold.exact}
        />
        <p className="text-sm">{whyOutcome(request)}</p>
        {request.conversationId !== null && (
          <p className="text-sm">
            <Link
              to="/console/$"
              params={{ _splat: `conversations/${request.conversationId}` }}
              className="text-accent underline underline-offset-2"
            >
              The whole conversation
            </Link>
          </p>
        )}
      </section>
      {request.errorMessage !== null && <Notice tone="error">{request.errorMessage}</Notice>}
      {request.warnings.map(({ code, message }) => (
        <Notice key={code + message} tone="warn">
          {message}
        </Notice>
      ))}
      <section aria-label="Details" className="rounded-2xl border border-line bg-surface p-4">
        <Tabs
          label="Request details"
          tabs={[
            { id: "timeline", label: "Timeline", content: <RequestTimeline request={request} /> },
            { id: "diff", label: "Diff", content: <RequestDiff request={request} content={content} /> },
            { id: "received", label: "Received", content: <Side request={request} messages={before} sent={false} /> },
            {
              id: "sent",
              label: "Sent",
              content: (
                <Side request={request} messages={Array.isArray(content?.after) ? content.after : undefined} sent />
              ),
            },
            {
              id: "response",
              label: "Response",
              content: <ResponseSide request={request} answer={content?.answer ?? undefined} />,
            },
            { id: "context", label: "What it is made of", content: <BreakdownView requestId={request.id} /> },
            { id: "curl", label: "curl", content: <Curl text={curl} captured={before !== undefined} /> },
          ]}
        />
      </section>
    </>
  );
}

interface SideProps {
  readonly request: RequestDetail;
  readonly messages: readonly unknown[] | undefined;
  readonly sent: boolean;
}

function Side({ request, messages, sent }: SideProps) {
  const { fold } = request;
  const facts: readonly (readonly [string, ReactNode])[] = sent
    ? [
        ["Sent to", request.upstream],
        ["Model", request.model],
        ["Messages", formatCount(fold.messagesAfter)],
        ["Tokens", `${fold.exact ? "" : "about "}${formatCount(fold.tokensAfter)}`],
        [
          "Budget",
          `${formatCount(fold.budget)} of a window of ${formatCount(fold.window)} (${request.windowSource ?? "source not known"})`,
        ],
        [
          "Folded by",
          fold.by === "none" ? "nothing" : fold.by === "digest" ? "a digest, no model" : "a model's summary",
        ],
        ...(fold.outcome === "folded" ? [["Pays for itself", whenItPays(fold)] as const] : []),
      ]
    : [
        [
          "Path",
          <code key="path" className="font-mono text-xs">
            {request.path}
          </code>,
        ],
        ["Protocol", request.protocol],
        ["Model asked for", request.requestedModel],
        ["Key", request.keyName ?? "none"],
        ["Messages", formatCount(fold.messagesBefore)],
        ["Tokens", `${fold.exact ? "" : "about "}${formatCount(fold.tokensBefore)}`],
      ];
  return (
    <div className="space-y-4">
      <FactList facts={facts} />
      {messages === undefined ? (
        <p className="text-sm text-ink-soft">The words are not kept: content capture is off, as it is by default.</p>
      ) : (
        <ol className="space-y-1.5">
          {messages.map((message, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the messages of a past request never move.
            <li key={index} className="rounded-lg border-l-4 border-line py-1 pl-3">
              <WireMessage message={message} mark={String(index + 1)} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The answer's text, where it was kept, and what is known about it. */
function ResponseSide({ request, answer }: { readonly request: RequestDetail; readonly answer: string | undefined }) {
  return (
    <div className="space-y-4">
      {answer === undefined || answer === "" ? (
        <p className="text-sm text-ink-soft">
          {request.hasContent
            ? request.state === "running"
              ? "The answer is still being written."
              : "There is no answer to show: nothing came back, or it had no words."
            : "Not captured: the words of answers are kept only while content capture is on."}
        </p>
      ) : (
        <section aria-label="Answer" className="rounded-lg border-l-4 border-accent py-1 pl-3">
          <WireMessage message={{ role: "answer", content: answer }} />
        </section>
      )}
      <FactList facts={responseFacts(request)} />
    </div>
  );
}

function responseFacts(request: RequestDetail): readonly (readonly [string, ReactNode])[] {
  const { usage, timing } = request;
  return [
    ["Status", request.state === "running" ? "still running" : `${request.status}, ${request.state}`],
    ["Streamed", request.stream ? "yes" : "no"],
    ["Input billed", usage === null ? null : `${formatCount(usage.input)} tokens`],
    ["Of those from cache", usage === null ? null : formatCount(usage.cached)],
    ["Written to cache", usage === null ? null : formatCount(usage.cacheWrite)],
    ["Output", usage === null ? null : `${formatCount(usage.output)} tokens`],
    ["Cost", request.costMicros === null ? null : dollars(request.costMicros)],
    ["Saved, at full price", request.savedMicros === null ? null : dollars(request.savedMicros)],
    ["First byte", timing.upstreamFirstByte === null ? null : formatSeconds(timing.upstreamFirstByte)],
    ["Total", formatSeconds(timing.total)],
    ["Sent upstream", plural(request.upstreamAttempts, "time")],
    ["Overflow", request.overflowRetried ? "the model said it was too long; folded harder and sent again" : "none"],
  ];
}

function Curl({ text, captured }: { readonly text: string; readonly captured: boolean }) {
  return (
    <div className="space-y-2">
      <p className="text-sm text-ink-soft">
        {captured
          ? "The messages as they were received. Add the system prompt, tools and other fields of yours."
          : "Content capture is off, so the body has to come from a file of yours."}
      </p>
      <pre
        tabIndex={0}
        className="max-h-80 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs break-all whitespace-pre-wrap"
      >
        {text}
      </pre>
    </div>
  );
}

interface Stage {
  readonly name: string;
  readonly from: number;
  readonly ms: number;
  readonly color: string;
}

/** Receive → decide → fold → send → first byte → done, to scale. */
function RequestTimeline({ request }: { readonly request: RequestDetail }) {
  const stages = toStages(request);
  const total = Math.max(0.001, request.timing.total);
  return (
    <div className="space-y-3">
      <ol aria-label="Timeline" className="space-y-1.5">
        {stages.map(({ name, from, ms, color }) => (
          <li key={name} className="grid grid-cols-[7.5rem_minmax(0,1fr)_4rem] items-center gap-2 text-sm">
            <span className="text-ink-soft">{name}</span>
            <span aria-hidden="true" className="relative h-4 rounded bg-sunken">
              <span
                className="absolute inset-y-0 min-w-[3px] rounded"
                style={{
                  left: `${Math.min(99, (100 * from) / total)}%`,
                  width: `${(100 * ms) / total}%`,
                  background: color,
                }}
              />
            </span>
            <span className="text-right tabular-nums">{formatSeconds(ms)}</span>
          </li>
        ))}
      </ol>
      <details className="text-sm">
        <summary className="text-ink-soft">As a table</summary>
        <div className="mt-2">
          <DataTable
            caption="Timeline of the request"
            hideCaption
            columns={[
              { name: "Stage", cell: (stage) => stage.name },
              { name: "Begins, ms", number: true, cell: (stage) => stage.from.toFixed(1) },
              { name: "Takes, ms", number: true, cell: (stage) => stage.ms.toFixed(1) },
            ]}
            rows={stages}
            keyOf={(stage) => stage.name}
          />
        </div>
      </details>
    </div>
  );
}

function toStages({ timing, state }: RequestDetail): readonly Stage[] {
  const { total, fold, overhead, upstreamFirstByte } = timing;
  const read = Math.max(0, overhead - fold);
  const stages: Stage[] = [
    { name: "Read and decide", from: 0, ms: read, color: "var(--cat-system)" },
    { name: "Count and fold", from: read, ms: fold, color: "var(--cat-summary)" },
  ];
  if (upstreamFirstByte === null) return stages;
  const first = overhead + upstreamFirstByte;
  stages.push({ name: "Wait for model", from: overhead, ms: upstreamFirstByte, color: "var(--cat-reserved)" });
  if (state !== "running")
    stages.push({ name: "Answer", from: first, ms: Math.max(0, total - first), color: "var(--cat-recent)" });
  return stages;
}
