import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { api } from "../api/api.ts";
import { keys } from "../api/keys.ts";
import type { Usage } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatPercent, formatTokens, plural } from "../ui/format.ts";
import { FoldIcon } from "../ui/icons.tsx";
import { Switch } from "../ui/switch.tsx";
import { categoryColours, categoryNames } from "./categories.ts";
import { MeterBar } from "./meter-bar.tsx";
import { SetWindow } from "./set-window.tsx";

interface MeterDetailsProps {
  readonly usage: Usage;
  readonly sessionId: string;
  readonly onCompress: () => void;
}

export function MeterDetails({ usage, sessionId, onCompress }: MeterDetailsProps) {
  const [row, setRow] = useState<string>();
  const { percent, usable, threshold, turnsLeft } = usage;
  return (
    <div className="grid gap-3">
      <div>
        <p className="text-base font-semibold">
          {percent === null ? `${formatTokens(usage.total)} tokens` : `${formatPercent(percent)} of the usable window`}
        </p>
        <p className="text-ink-soft">
          {usable === null
            ? "This model’s window is not known, so there is no percentage."
            : `The next request: ${formatCount(usage.total)} of ${formatCount(usable)} tokens${usage.exact ? "" : ", estimated"}.`}
        </p>
      </div>
      <MeterBar usage={usage} byCategory highlighted={row} />
      <ul className="grid gap-0.5">
        {usage.categories.map(({ category, tokens, messages }) => (
          <li
            key={category}
            className="-mx-1.5 flex items-center gap-2 rounded px-1.5 py-0.5 hover:bg-sunken"
            onMouseEnter={() => setRow(category)}
            onMouseLeave={() => setRow(undefined)}
          >
            <span
              aria-hidden="true"
              className={`size-3 rounded-sm border border-line-strong ${category === "reserved" ? "hatched" : ""}`}
              style={category === "reserved" ? undefined : { background: categoryColours[category] }}
            />
            {categoryNames[category]}
            {messages !== undefined && messages > 0 && <span className="text-ink-soft">({messages})</span>}
            <span className="ml-auto tabular-nums">{formatCount(tokens)}</span>
          </li>
        ))}
      </ul>
      {usable === null && <SetWindow model={usage.model} sessionId={sessionId} />}
      <p className="text-ink-soft">
        {threshold === null
          ? usage.autoCompression
            ? "Until it is known, folding goes by a careful guess."
            : "Automatic compression is off here."
          : `Folds by itself at ${formatCount(threshold.tokens)} tokens, so that request and reply stay within ${formatPercent(threshold.percent)} of the window.`}
        {turnsLeft === 0 && " The next turn needs a fold."}
        {turnsLeft !== null && turnsLeft > 0 && ` Room for about ${plural(turnsLeft, "more turn")}.`}
        {usage.breaker.open && " It is paused after several failures."}
      </p>
      <AutoSwitch sessionId={sessionId} on={usage.autoCompression} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" className="grow" onClick={onCompress}>
          <FoldIcon size={16} /> Compress now…
        </Button>
        <Link
          to="/s/$sessionId/view"
          params={{ sessionId }}
          className="inline-flex min-h-9 grow items-center justify-center rounded-lg border border-line-strong px-3 text-sm font-medium whitespace-nowrap hover:bg-sunken"
        >
          Why is this full?
        </Link>
      </div>
    </div>
  );
}

function AutoSwitch({ sessionId, on }: { readonly sessionId: string; readonly on: boolean }) {
  const client = useQueryClient();
  const scope = `session:${sessionId}`;
  const { data } = useQuery({ queryKey: keys.settings(scope), queryFn: () => api.getSettings(scope) });
  const value = data?.values.autoCompression?.value;
  return (
    <Switch
      label="Compress this conversation by itself"
      checked={typeof value === "boolean" ? value : on}
      onChange={(autoCompression) => {
        void api.updateSettings({ scope, set: { autoCompression } }).then((settings) => {
          client.setQueryData(keys.settings(scope), settings);
          return client.invalidateQueries({ queryKey: keys.usage(sessionId) });
        });
      }}
    />
  );
}
