import { useEffect, useRef, useState } from "react";
import type { Usage } from "../api/types.gen.ts";
import { formatPercent, formatTokens, plural } from "../ui/format.ts";
import { AlarmIcon, WarnIcon } from "../ui/icons.tsx";
import { Popover } from "../ui/popover.tsx";
import { MeterBar } from "./meter-bar.tsx";
import { MeterDetails } from "./meter-details.tsx";

interface MeterProps {
  readonly usage: Usage | undefined;
  readonly sessionId: string;
  readonly onCompress: () => void;
}

const words = { ok: "", warning: "Getting full", critical: "Almost full", unknown: "" } as const;

const wordFor = ({ level, percent }: Pick<Usage, "level" | "percent">): string =>
  (percent ?? 0) > 100 ? "Over full" : words[level];

/** How much of the window the next request takes. */
export function Meter({ usage, sessionId, onCompress }: MeterProps) {
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
          onCompress={() => {
            setOpen(false);
            onCompress();
          }}
        />
      </Popover>
      {/* The button speaks when focused; this is for those who ask for meters. */}
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

/** Said once for each step up, not with every word typed. */
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
