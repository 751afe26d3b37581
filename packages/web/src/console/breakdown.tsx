import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { wordsOf } from "../api/api-error.ts";
import type { Breakdown } from "../api/types.gen.ts";
import { formatCount, formatTokens, plural } from "../ui/format.ts";
import { Notice } from "../ui/notice.tsx";
import { Spinner } from "../ui/spinner.tsx";
import { consoleApi, consoleKeys } from "./console-api.ts";
import { readable } from "./wire-message.tsx";

export type BreakdownPart = Breakdown["parts"][number];

interface BreakdownViewProps {
  readonly requestId: string;
  /** Buttons beside a part. */
  readonly actions?: (part: BreakdownPart) => ReactNode;
}

/** The parts of a request and their tokens. */
export function BreakdownView({ requestId, actions }: BreakdownViewProps) {
  const breakdown = useQuery({
    queryKey: consoleKeys.breakdown(requestId),
    queryFn: () => consoleApi.getBreakdown(requestId),
  });
  const content = useQuery({
    queryKey: consoleKeys.content(requestId),
    queryFn: () => consoleApi.getContent(requestId),
    enabled: breakdown.data?.captured === true,
  });
  if (breakdown.isPending) return <Spinner />;
  if (breakdown.error !== null) return <Notice tone="error">{wordsOf(breakdown.error)}</Notice>;
  if (!breakdown.data.captured) {
    return (
      <p className="text-sm text-ink-soft">
        Not captured. With <code className="font-mono">server.capture: true</code> requests are kept word for word, and
        the size of each part can be shown.
      </p>
    );
  }
  const { parts } = breakdown.data;
  const messages = Array.isArray(content.data?.before) ? content.data.before : [];
  const total = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const groups = groupsOf(parts);
  return (
    <div className="space-y-4">
      <p className="text-sm text-ink-soft">
        About {formatCount(total)} tokens as they came in, counted part by part: {sentenceOf(groups)}.
      </p>
      {groups.map(({ name, parts: of, tokens }) => (
        <section key={name} aria-label={name}>
          <h3 className="flex justify-between gap-3 text-sm font-medium">
            <span>{name}</span>
            <span className="tabular-nums">
              {formatTokens(tokens)} <span className="text-ink-soft">({share(tokens, total)})</span>
            </span>
          </h3>
          <ul className="mt-1 divide-y divide-line">
            {of.map((part, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a past request never move.
              <li key={at} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 text-sm">
                <span className="w-28 shrink-0 text-ink-soft">{labelOf(part)}</span>
                <span className="min-w-0 flex-1 truncate">{wordsIn(part, messages)}</span>
                <span aria-hidden="true" className="h-1.5 w-24 shrink-0 overflow-hidden rounded-full bg-sunken">
                  <span
                    className="block h-full rounded-full bg-accent"
                    style={{ width: total === 0 ? 0 : `${Math.max(1, (100 * part.tokens) / total)}%` }}
                  />
                </span>
                <span className="w-14 shrink-0 text-right tabular-nums">{formatTokens(part.tokens)}</span>
                {actions?.(part)}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

interface Group {
  readonly name: string;
  readonly parts: readonly BreakdownPart[];
  readonly tokens: number;
}

function groupsOf(parts: readonly BreakdownPart[]): readonly Group[] {
  const nameOf = ({ kind, server }: BreakdownPart) => {
    if (kind === "system") return "System prompt";
    if (kind === "message") return "Messages";
    return server === undefined ? "Tools" : `Tools of the MCP server ${server}`;
  };
  const names = [...new Set(parts.map(nameOf))];
  const rank = (name: string) => (name === "System prompt" ? 0 : name === "Messages" ? 2 : 1);
  return names
    .toSorted((a, b) => rank(a) - rank(b))
    .map((name) => {
      const own = parts.filter((part) => nameOf(part) === name);
      return { name, parts: own, tokens: own.reduce((sum, { tokens }) => sum + tokens, 0) };
    });
}

const share = (tokens: number, total: number) => (total === 0 ? "0 %" : `${Math.round((100 * tokens) / total)} %`);

const sentenceOf = (groups: readonly Group[]) =>
  groups.map(({ name, parts }) => (parts.length === 1 ? name : `${name} (${parts.length})`)).join(", ");

function labelOf({ kind, name, index }: BreakdownPart): string {
  if (kind === "tool") return "tool";
  return index === undefined ? name : `${index + 1}. ${name}`;
}

function wordsIn({ kind, name, index }: BreakdownPart, messages: readonly unknown[]): string {
  if (kind === "tool") return name;
  const text = index === undefined ? "" : readable(messages[index]).replace(/\s+/g, " ").trim();
  return text === "" ? "" : text.length > 160 ? `${text.slice(0, 160)}… (${plural(text.length, "character")})` : text;
}
