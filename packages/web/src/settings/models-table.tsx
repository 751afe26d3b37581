import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useState } from "react";
import { wordsOf } from "../api/api-error.ts";
import { keys } from "../api/keys.ts";
import { settingsApi } from "../api/settings-api.ts";
import type { Model, UpdateModel } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { plural } from "../ui/format.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { UndoIcon } from "../ui/icons.tsx";
import { SearchField } from "../ui/search-field.tsx";
import { toast } from "../ui/toast.tsx";
import { Refused } from "./controls.tsx";
import { Section } from "./section.tsx";

type Field = "window" | "maxOutput" | "thresholdPercent" | "retentionTokens";

const fields: readonly { readonly name: Field; readonly label: string; readonly min: number; readonly max: number }[] =
  [
    { name: "window", label: "Window", min: 256, max: 100_000_000 },
    { name: "maxOutput", label: "Largest reply", min: 1, max: 10_000_000 },
    { name: "thresholdPercent", label: "Threshold, %", min: 10, max: 100 },
    { name: "retentionTokens", label: "Retention", min: 0, max: 1_000_000 },
  ];

const sources: Readonly<Record<Model["windowSource"], string>> = {
  "built-in": "built in",
  override: "yours",
  learned: "learned from an error",
  upstream: "told by the provider",
  guess: "a careful guess",
};

/** Windows and limits of every model, to correct where they are wrong. */
export function ModelsTable({ models }: { readonly models: readonly Model[] }) {
  const [search, setSearch] = useState("");
  const [all, setAll] = useState(false);
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (body: UpdateModel) => settingsApi.updateModel(body),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: keys.models });
      void client.invalidateQueries({ queryKey: ["settings"] });
      void client.invalidateQueries({ queryKey: ["session"] });
    },
    onError: (error) => toast({ title: "Not saved", detail: wordsOf(error), tone: "error" }),
  });
  const found = models.filter(
    (model) =>
      model.id.toLowerCase().includes(search.trim().toLowerCase()) &&
      (all || search !== "" || model.available || model.overrides.length > 0),
  );
  return (
    <Section
      title="Models"
      intro="The size of a model's window decides when a conversation is summarized. Correct it here where it is wrong."
    >
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <SearchField label="Find a model" className="w-56!" value={search} onSearch={setSearch} />
        <label className="flex items-center gap-2 text-sm">
          <input type="checkbox" className="size-4" checked={all} onChange={(event) => setAll(event.target.checked)} />
          Those without a key too
        </label>
        <span className="ml-auto text-sm text-ink-soft">{plural(found.length, "model")}</span>
      </div>
      <section aria-label="Models table" tabIndex={0} className="max-h-128 overflow-auto rounded-xl border border-line">
        <table className="w-full border-collapse text-sm">
          <thead className="sticky top-0 z-1 bg-sunken text-left text-ink-soft">
            <tr>
              <th scope="col" className="px-3 py-2 font-medium">
                Model
              </th>
              {fields.map(({ name, label }) => (
                <th key={name} scope="col" className="px-2 py-2 font-medium whitespace-nowrap">
                  {label}
                </th>
              ))}
              <th scope="col" className="px-3 py-2 font-medium">
                Counted by
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, 200).map((model) => (
              <tr key={model.id} className="border-t border-line">
                <th scope="row" className="px-3 py-2 text-left font-medium">
                  {model.id}
                  <span className="flex gap-1 font-normal">
                    <Badge tone={model.windowSource === "guess" ? "warn" : "plain"}>
                      window {sources[model.windowSource]}
                    </Badge>
                  </span>
                </th>
                {fields.map((field) => (
                  <td key={field.name} className="px-2 py-2">
                    <ModelField
                      field={field}
                      model={model}
                      onSave={(value) => save.mutate({ id: model.id, set: { [field.name]: value } })}
                      onReset={() => save.mutate({ id: model.id, reset: [field.name] })}
                    />
                  </td>
                ))}
                <td className="px-3 py-2 text-ink-soft">
                  {model.tokenizer}
                  {model.exactTokenizer ? "" : ", estimated"}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

interface ModelFieldProps {
  readonly field: (typeof fields)[number];
  readonly model: Model;
  readonly onSave: (value: number) => void;
  readonly onReset: () => void;
}

function ModelField({ field, model, onSave, onReset }: ModelFieldProps) {
  const value = model[field.name];
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const own = model.overrides.includes(field.name);
  const [refused, setRefused] = useState(false);
  const id = useId();
  const save = () => {
    const next = Number(text);
    const isFine = text.trim() !== "" && Number.isFinite(next) && next >= field.min && next <= field.max;
    setRefused(!isFine);
    if (isFine && next !== value) onSave(next);
  };
  return (
    <span className="flex flex-wrap items-center gap-0.5">
      <input
        type="number"
        aria-label={`${field.label} of ${model.id}`}
        min={field.min}
        max={field.max}
        value={text}
        aria-invalid={refused}
        aria-describedby={refused ? id : undefined}
        onChange={(event) => setText(event.target.value)}
        onBlur={save}
        onKeyDown={(event) => event.key === "Enter" && save()}
        className={`field w-26! px-2! py-1! text-right tabular-nums ${own ? "border-accent!" : ""}`}
      />
      {refused && <Refused id={id} min={field.min} max={field.max} />}
      {own && (
        <IconButton small label={`Inherit ${field.label.toLowerCase()} of ${model.id} again`} onClick={onReset}>
          <UndoIcon size={14} />
        </IconButton>
      )}
    </span>
  );
}
