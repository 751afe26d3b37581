import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { SummaryDetail } from "../api/types.gen.ts";

/** The summary's words; sentences whose source is known lead to it. */
export function SourcedText({ detail }: { readonly detail: SummaryDetail }) {
  const { text } = detail;
  let offset = 0;
  const lines = text.split("\n").map((line) => {
    const start = offset;
    offset += line.length + 1;
    return { line, start };
  });
  return (
    <section
      aria-label="Summary text"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
      tabIndex={0}
      className="max-h-96 overflow-y-auto text-sm leading-7 wrap-anywhere"
    >
      {lines.map(({ line, start }) => {
        const heading = /^#{1,6}\s+/.exec(line)?.[0];
        if (heading !== undefined) {
          return (
            <p key={start} className="mt-3 mb-1 font-semibold first:mt-0">
              {line.slice(heading.length)}
            </p>
          );
        }
        if (line.trim() === "") return <div key={start} className="h-2" />;
        return (
          <p key={start} className={/^\s*[-*•]/.test(line) ? "pl-4 -indent-3" : ""}>
            {cut(detail, start, start + line.length)}
          </p>
        );
      })}
    </section>
  );
}

function cut({ text, sources, sessionId }: SummaryDetail, start: number, end: number): readonly ReactNode[] {
  const nodes: ReactNode[] = [];
  let at = start;
  for (const source of sources) {
    const from = Math.max(source.start, at);
    const to = Math.min(source.end, end);
    const messageId = source.messageIds[0];
    if (from >= to || messageId === undefined) continue;
    if (from > at) nodes.push(text.slice(at, from));
    nodes.push(
      <Link
        key={from}
        to="/s/$sessionId"
        params={{ sessionId }}
        hash={`m-${messageId}`}
        title="Go to where this was said"
        className="rounded-sm underline decoration-fold-line decoration-dotted underline-offset-3 hover:bg-fold-line/20"
      >
        {text.slice(from, to)}
      </Link>,
    );
    at = to;
  }
  if (at < end) nodes.push(text.slice(at, end));
  return nodes;
}
