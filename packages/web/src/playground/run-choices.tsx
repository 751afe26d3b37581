import { Button } from "../ui/button.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { CloseIcon, PlusIcon } from "../ui/icons.tsx";
import { NumberOption } from "./number-option.tsx";
import { maxRuns, nextRun, presetNames, presetWords, type Run, summarizerWords } from "./run-choice.ts";

interface RunChoicesProps {
  readonly runs: readonly Run[];
  readonly onChange: (runs: readonly Run[]) => void;
}

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
              <select
                aria-label={`Strategy ${index + 1}`}
                value={run.preset}
                onChange={(event) => set(index, { preset: event.target.value as Run["preset"] })}
                className="field text-sm font-medium"
              >
                {presetNames.map((name) => (
                  <option key={name} value={name}>
                    {presetWords[name].name}
                  </option>
                ))}
              </select>
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
                  <select
                    value={run.summarizer ?? "extractive"}
                    onChange={(event) =>
                      set(index, { summarizer: event.target.value as "none" | "extractive" | "model" })
                    }
                    className="field text-sm text-ink"
                  >
                    {Object.entries(summarizerWords).map(([name, words]) => (
                      <option key={name} value={name}>
                        {words}
                      </option>
                    ))}
                  </select>
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
                <NumberOption
                  label="Newest tokens kept"
                  min={0}
                  otherwise="the preset's"
                  value={run.retentionTokens}
                  onChange={(retentionTokens) => set(index, { retentionTokens })}
                />
                <NumberOption
                  label="First messages kept"
                  min={0}
                  otherwise="the preset's"
                  value={run.headMessages}
                  onChange={(headMessages) => set(index, { headMessages })}
                />
                <NumberOption
                  label="Last messages kept"
                  min={0}
                  otherwise="the preset's"
                  value={run.tailMessages}
                  onChange={(tailMessages) => set(index, { tailMessages })}
                />
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
