import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { CloseIcon, PlusIcon } from "../ui/icons.tsx";
import { Select } from "../ui/select.tsx";
import { NumberOption } from "./number-option.tsx";
import { maxRuns, nextRun, presetNames, presetWords, type Run, summarizerWords } from "./run-choice.ts";

interface RunChoicesProps {
  readonly runs: readonly Run[];
  readonly onChange: (runs: readonly Run[]) => void;
}

const kept = [
  ["Newest tokens kept", "retentionTokens"],
  ["First messages kept", "headMessages"],
  ["Last messages kept", "tailMessages"],
] as const;

/** One to four strategies to compare. */
export function RunChoices({ runs, onChange }: RunChoicesProps) {
  const set = (index: number, changes: Partial<Run>) =>
    onChange(runs.map((run, at) => (at === index ? { ...run, ...changes } : run)));
  return (
    <fieldset className="space-y-2">
      <legend className="mb-1 font-medium">Strategies to compare</legend>
      <ol className="grid gap-2 sm:grid-cols-2 xl:grid-cols-4">
        {runs.map((run, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a strategy is known by its place.
          <li key={index} className="space-y-2 rounded-xl border border-line bg-surface p-3">
            <div className="flex items-center gap-1">
              <Select
                aria-label={`Strategy ${index + 1}`}
                value={run.preset}
                onChange={(preset) => set(index, { preset: preset as Run["preset"] })}
                className="text-sm font-medium"
                options={presetNames.map((name) => [name, presetWords[name].name])}
              />
              <IconButton
                small
                label={`Remove strategy ${index + 1}`}
                disabled={runs.length === 1}
                onClick={() => onChange(runs.filter((_, at) => at !== index))}
              >
                <CloseIcon size={16} />
              </IconButton>
            </div>
            <p className="text-xs text-ink-soft">{presetWords[run.preset].does}</p>
            <details>
              <summary className="text-sm text-ink-soft">Fine-tune</summary>
              <div className="mt-2 grid grid-cols-2 gap-2">
                <label className="col-span-2 text-sm text-ink-soft">
                  Summary
                  <Select
                    value={run.summarizer ?? "extractive"}
                    onChange={(summarizer) => set(index, { summarizer: summarizer as "none" | "extractive" | "model" })}
                    className="text-sm text-ink"
                    options={Object.entries(summarizerWords)}
                  />
                </label>
                <NumberOption
                  label="Target, share of budget"
                  min={0.05}
                  max={1}
                  step={0.05}
                  otherwise="the preset's"
                  value={run.target}
                  onChange={(target) => set(index, { target })}
                />
                {kept.map(([label, field]) => (
                  <NumberOption
                    key={field}
                    label={label}
                    min={0}
                    otherwise="the preset's"
                    value={run[field]}
                    onChange={(value) => set(index, { [field]: value })}
                  />
                ))}
              </div>
            </details>
          </li>
        ))}
      </ol>
      {runs.length < maxRuns && (
        <Button onClick={() => onChange([...runs, nextRun(runs)])}>
          <PlusIcon size={15} /> Add a strategy
        </Button>
      )}
    </fieldset>
  );
}
