import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { api } from "../api/api.ts";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { settingsApi } from "../api/settings-api.ts";
import type { Usage } from "../api/types.gen.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, formatPercent, formatTokens, plural } from "../ui/format.ts";
import { AlarmIcon, FoldIcon, WarnIcon } from "../ui/icons.tsx";
import { Notice } from "../ui/notice.tsx";
import { Popover } from "../ui/popover.tsx";
import { Switch } from "../ui/switch.tsx";

interface MeterProps {
  readonly usage: Usage | undefined;
  readonly sessionId: string;
  readonly onFold: () => void;
}

const words = { ok: "", warning: "Getting full", critical: "Almost full", unknown: "" } as const;

const wordFor = ({ level, percent }: Pick<Usage, "level" | "percent">): string =>
  (percent ?? 0) > 100 ? "Over full" : words[level];

/** How much of the window the next request takes. */
export function Meter({ usage, sessionId, onFold }: MeterProps) {
  const [open, setOpen] = useState(false);
  const announced = useAnnouncement(usage);
  if (usage === undefined) return null;
  const { level, percent, turnsLeft } = usage;
  const ink = level === "critical" ? "text-alarm-ink" : level === "warning" ? "text-warn-ink" : "text-ink-soft";
  const text = describe(usage);
  const word = wordFor(usage);
  return (
    <>
      <Popover
        label="Context usage"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <button
            type="button"
            className={`flex min-h-9 items-center gap-2 rounded-lg px-2 text-xs font-medium whitespace-nowrap hover:bg-sunken ${ink}`}
          >
            <span className="sr-only">Context usage: </span>
            {level === "critical" && <AlarmIcon size={16} />}
            {level === "warning" && <WarnIcon size={16} />}
            {word !== "" && <span className="hidden md:inline">{word}</span>}
            {percent === null ? (
              <span>{formatTokens(usage.total)} tokens</span>
            ) : (
              <>
                <span className="hidden w-28 sm:block">
                  <MeterBar usage={usage} />
                </span>
                <span data-testid="meter-percent">{formatPercent(percent)}</span>
              </>
            )}
            {turnsLeft !== null && (
              <span className="hidden text-ink-soft lg:inline">
                {turnsLeft === 0 ? "no turns left" : `~${plural(turnsLeft, "turn")} left`}
              </span>
            )}
          </button>
        }
      >
        <MeterDetails
          usage={usage}
          sessionId={sessionId}
          onFold={() => {
            setOpen(false);
            onFold();
          }}
        />
      </Popover>
      {/* The button is announced when focused; this is for screen readers that list meters. */}
      {/* biome-ignore lint/a11y/useSemanticElements: the element of that name cannot say more than its number. */}
      <span
        role="meter"
        aria-label="Context usage"
        aria-valuemin={0}
        aria-valuemax={usage.usable ?? usage.total}
        aria-valuenow={Math.min(usage.total, usage.usable ?? usage.total)}
        aria-valuetext={text}
        className="sr-only"
      />
      <span aria-live="polite" className="sr-only">
        {announced}
      </span>
    </>
  );
}

export function describe({ total, usable, percent, exact, level, turnsLeft }: Usage): string {
  const estimated = exact ? "" : ", estimated";
  if (percent === null || usable === null) return `${formatTokens(total)} tokens, window unknown${estimated}`;
  const left = turnsLeft === null ? "" : `, about ${plural(turnsLeft, "turn")} left`;
  const word = wordFor({ level, percent });
  return `${word === "" ? "" : `${word}: `}${formatPercent(percent)} used, ${formatTokens(total)} of ${formatTokens(usable)} tokens${estimated}${left}`;
}

/** Announced once per level, not with every word typed. */
function useAnnouncement(usage: Usage | undefined): string {
  const last = useRef<Usage["level"]>("ok");
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (usage === undefined || usage.level === last.current) return;
    last.current = usage.level;
    setSaid(usage.level === "warning" || usage.level === "critical" ? describe(usage) : "");
  }, [usage]);
  return said;
}

interface MeterDetailsProps {
  readonly usage: Usage;
  readonly sessionId: string;
  readonly onFold: () => void;
}

function MeterDetails({ usage, sessionId, onFold }: MeterDetailsProps) {
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
            ? "Until it is known, a careful guess decides when to summarize."
            : "Automatic summaries are off here."
          : `Summarized by itself at ${formatCount(threshold.tokens)} tokens, so that request and reply stay within ${formatPercent(threshold.percent)} of the window.`}
        {turnsLeft === 0 && " The next turn needs a summary first."}
        {turnsLeft !== null && turnsLeft > 0 && ` Room for about ${plural(turnsLeft, "more turn")}.`}
        {usage.breaker.open && " It is paused after several failures."}
      </p>
      <AutoSwitch sessionId={sessionId} on={usage.autoCompression} />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" className="grow" onClick={onFold}>
          <FoldIcon size={16} /> Summarize now…
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
      label="Summarize this conversation automatically"
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

/** Tells the server the size of a window it does not know. */
function SetWindow({ model, sessionId }: { readonly model: string; readonly sessionId: string }) {
  const [tokens, setTokens] = useState("");
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: () => settingsApi.updateModel({ id: model, set: { window: Number(tokens) } }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.models });
      void client.invalidateQueries({ queryKey: keys.usage(sessionId) });
    },
  });
  return (
    <form
      className="grid gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <label htmlFor="set-window">Window of {model}, in tokens</label>
      <div className="flex gap-2">
        <input
          id="set-window"
          className="field py-1.5"
          type="number"
          min={256}
          max={100_000_000}
          required
          placeholder="such as 131072"
          value={tokens}
          onChange={(event) => setTokens(event.target.value)}
        />
        <Button type="submit" disabled={save.isPending}>
          Set
        </Button>
      </div>
      {save.error !== null && <Notice tone="error">{wordsOf(save.error)}</Notice>}
    </form>
  );
}

interface MeterBarProps {
  readonly usage: Usage;
  /** Each category in its own colour, instead of the level's. */
  readonly byCategory?: boolean;
  readonly highlighted?: string | undefined;
}

/** The whole window: what is used, what is free, what is kept for the reply, and where folding begins. */
function MeterBar({ usage, byCategory = false, highlighted }: MeterBarProps) {
  const { window: size, usable, threshold, level } = usage;
  if (size === null || usable === null) return null;
  const scale = Math.max(size, usage.total + (size - usable));
  const share = (tokens: number) => `${(tokens / scale) * 100}%`;
  const levelColour = level === "critical" ? "var(--alarm)" : level === "warning" ? "var(--warn)" : "var(--fine)";
  return (
    <span aria-hidden="true" className={`relative block ${byCategory ? "h-4" : "h-2.5"}`}>
      <span className="flex h-full w-full overflow-hidden rounded-full border border-line-strong bg-surface">
        {usedCategories(usage).map(({ category, tokens }) => (
          <span
            key={category}
            className="h-full border-r border-surface transition-[width] duration-500 last:border-r-0"
            style={{
              width: share(tokens),
              background: byCategory ? categoryColours[category] : levelColour,
              opacity: highlighted === undefined || highlighted === category ? 1 : 0.35,
            }}
          />
        ))}
        <span className="flex-1" />
        <span className="hatched h-full border-l border-line-strong" style={{ width: share(size - usable) }} />
      </span>
      {threshold !== null && (
        <span
          className="absolute -top-0.5 -bottom-0.5 w-0.5 bg-ink"
          style={{ left: share(Math.min(threshold.tokens, scale)) }}
        />
      )}
    </span>
  );
}

type Category = Usage["categories"][number]["category"];

const categoryColours: Readonly<Record<Category, string>> = {
  system: "var(--cat-system)",
  tools: "var(--cat-tools)",
  summary: "var(--cat-summary)",
  recalled: "var(--cat-recalled)",
  recent: "var(--cat-recent)",
  draft: "var(--cat-draft)",
  reserved: "var(--cat-reserved)",
  free: "var(--surface)",
};

const categoryNames: Readonly<Record<Category, string>> = {
  system: "System prompt",
  tools: "Tools",
  summary: "Summary",
  recalled: "Excerpts of old messages",
  recent: "Messages, word for word",
  draft: "What you are writing",
  reserved: "Kept for the reply",
  free: "Free",
};

/** What the next request consists of, without the room kept free. */
const usedCategories = ({ categories }: Usage) =>
  categories.filter(({ category, tokens }) => category !== "free" && category !== "reserved" && tokens > 0);
