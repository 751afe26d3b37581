import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import { formatCount } from "../ui/format.ts";
import { Highlighted } from "../ui/highlighted.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { DownIcon } from "../ui/icons.tsx";
import { PlaceBadge } from "./place-badge.tsx";

interface HistorySearchProps {
  readonly sessionId: string;
  readonly q: string;
  readonly onSearch: (words: string) => void;
  readonly onPick: (messageId: string) => void;
}

export function HistorySearch({ sessionId, q, onSearch, onPick }: HistorySearchProps) {
  const words = useDeferredValue(q.trim());
  const [at, setAt] = useState(-1);
  const { data } = useQuery({
    queryKey: keys.search(sessionId, words),
    queryFn: () => api.searchSession(sessionId, words),
    enabled: words !== "",
    placeholderData: keepPreviousData,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words, other hits.
  useEffect(() => setAt(-1), [words]);
  const hits = words === "" ? [] : (data?.hits ?? []);
  const go = (index: number) => {
    const next = (index + hits.length) % hits.length;
    const hit = hits[next];
    if (hit === undefined) return;
    setAt(next);
    onPick(hit.messageId);
  };
  return (
    <search className="grid gap-2">
      <div className="flex items-center gap-1">
        <input
          id="page-search"
          type="search"
          aria-label="Search everything ever said"
          placeholder="Search everything ever said"
          className="field py-1.5 text-sm"
          value={q}
          onChange={(event) => onSearch(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter") go(event.shiftKey ? at - 1 : at + 1);
          }}
        />
        {words !== "" && data !== undefined && (
          <output className="px-2 text-sm whitespace-nowrap text-ink-soft" aria-live="polite">
            {at >= 0 && `${at + 1} of `}
            {data.totalIsExact ? "" : "more than "}
            {formatCount(data.total)} {data.total === 1 ? "hit" : "hits"}
          </output>
        )}
        <IconButton label="Previous hit" disabled={hits.length === 0} onClick={() => go(at - 1)}>
          <span className="rotate-180">
            <DownIcon />
          </span>
        </IconButton>
        <IconButton label="Next hit" disabled={hits.length === 0} onClick={() => go(at + 1)}>
          <DownIcon />
        </IconButton>
      </div>
      {hits.length > 0 && (
        <ul aria-label="Hits" className="max-h-56 overflow-y-auto rounded-xl border border-line bg-surface text-sm">
          {hits.map((hit, index) => (
            <li key={hit.messageId} className="border-b border-line last:border-0">
              <button
                type="button"
                aria-current={index === at}
                onClick={() => go(index)}
                className="flex w-full flex-wrap items-baseline gap-x-2 px-3 py-2 text-left hover:bg-sunken aria-current:bg-accent-soft"
              >
                <span className="text-xs text-ink-soft capitalize">{hit.role}</span>
                <PlaceBadge place={hit.place} />
                <span className="w-full wrap-anywhere">
                  <Highlighted {...hit} />
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
