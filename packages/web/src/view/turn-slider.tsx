import type { TurnList } from "../api/types.gen.ts";
import { formatTime, formatTokens } from "../ui/format.ts";

interface TurnSliderProps {
  readonly turns: TurnList["turns"];
  /** Absent: the next request. */
  readonly turn: string | undefined;
  readonly onChange: (turn: string | undefined) => void;
}

/** Goes through the past turns; the bars are the sizes of their requests. */
export function TurnSlider({ turns, turn, onChange }: TurnSliderProps) {
  const found = turns.findIndex(({ turnId }) => turnId === turn);
  const index = found < 0 ? turns.length : found;
  const chosen = turns[index];
  const text =
    chosen === undefined
      ? "the next request"
      : `turn ${index + 1} of ${turns.length}, ${formatTime(chosen.at)}, ${formatTokens(chosen.inputTokens)} tokens`;
  const largest = Math.max(1, ...turns.map(({ inputTokens }) => inputTokens));
  return (
    <div className="rounded-xl bg-sunken px-4 py-3 text-sm">
      <div aria-hidden="true" className="flex h-10 items-end gap-px">
        {turns.map(({ turnId, inputTokens, summaryId }, place) => (
          <span
            key={turnId}
            className={`min-w-0 flex-1 rounded-t-sm ${place === index ? "bg-accent" : summaryId === null ? "bg-line-strong" : "bg-fold-line"}`}
            style={{ height: `${Math.max(6, (inputTokens / largest) * 100)}%` }}
          />
        ))}
        <span className={`min-w-0 flex-1 rounded-t-sm ${chosen === undefined ? "h-full bg-accent" : "h-1 bg-line"}`} />
      </div>
      <label className="mt-1 grid gap-1">
        <input
          type="range"
          min={0}
          max={turns.length}
          step={1}
          value={index}
          aria-valuetext={text}
          className="w-full accent-(--accent)"
          onChange={(event) => onChange(turns[Number(event.target.value)]?.turnId)}
        />
        <span>Showing {text}</span>
      </label>
    </div>
  );
}
