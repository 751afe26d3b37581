import { useQuery } from "@tanstack/react-query";
import { useContext } from "react";
import { settingsApi, settingsKeys } from "../api/settings-api.ts";
import { Button } from "../ui/button.tsx";
import { ChoiceControl, TextControl } from "./controls.tsx";
import { Section } from "./section.tsx";
import { SettingRow, SettingSearch } from "./setting-row.tsx";
import type { SettingsOfScope } from "./use-settings.ts";
import { NumberSetting } from "./value-settings.tsx";

type Style = "concise" | "balanced" | "detailed";
type Template = "general" | "code" | "technical" | "custom";

interface SummarySettingsProps {
  readonly settings: SettingsOfScope;
  readonly modelNames: readonly string[];
}

/** Who writes summaries, and how. */
export function SummarySettings({ settings, modelNames }: SummarySettingsProps) {
  const value = <TValue,>(name: string) => settings.data?.values[name]?.value as TValue;
  const template = value<Template>("summaryTemplate");
  return (
    <Section title="Summaries">
      <SettingRow
        settings={settings}
        name="summaryModel"
        label="Summarization model"
        help="Empty: the provider's default, or the built-in extract, which needs no key."
      >
        {(ids) => (
          <TextControl
            ids={ids}
            empty="provider's default, or built in"
            suggestions={modelNames}
            value={value<string | null>("summaryModel")}
            onChange={(summaryModel) => settings.set({ summaryModel })}
          />
        )}
      </SettingRow>
      <SettingRow settings={settings} name="summaryStyle" label="Style">
        {(ids) => (
          <ChoiceControl
            ids={ids}
            value={value<string>("summaryStyle")}
            options={[
              ["concise", "concise"],
              ["balanced", "balanced"],
              ["detailed", "detailed"],
            ]}
            onChange={(summaryStyle) => settings.set({ summaryStyle: summaryStyle as Style })}
          />
        )}
      </SettingRow>
      <NumberSetting
        settings={settings}
        name="maxSummaryTokens"
        label="Largest summary"
        min={64}
        max={32_000}
        unit="tokens"
      />
      <SettingRow
        settings={settings}
        name="summaryTemplate"
        label="Prompt"
        help="What the summarization model is told."
      >
        {(ids) => (
          <ChoiceControl
            ids={ids}
            value={template}
            options={[
              ["general", "general conversation"],
              ["code", "programming"],
              ["technical", "technical talk"],
              ["custom", "my own"],
            ]}
            onChange={(summaryTemplate) => settings.set({ summaryTemplate: summaryTemplate as Template })}
          />
        )}
      </SettingRow>
      <PromptText settings={settings} template={template} />
    </Section>
  );
}

function PromptText({ settings, template }: { readonly settings: SettingsOfScope; readonly template: Template }) {
  const prompts = useQuery({ queryKey: settingsKeys.prompts, queryFn: settingsApi.getPrompts });
  const searching = useContext(SettingSearch) !== "";
  const builtIn = (name: string) => prompts.data?.templates.find((item) => item.name === name)?.text ?? "";
  if (prompts.data === undefined || searching) return null;
  if (template !== "custom") {
    return (
      <details className="border-t border-line py-3 text-sm">
        <summary className="text-ink-soft">Read the built-in prompt</summary>
        <pre className="mt-2 rounded-lg bg-sunken p-3 font-mono text-xs whitespace-pre-wrap">{builtIn(template)}</pre>
        <Button
          className="mt-2"
          onClick={() => settings.set({ summaryTemplate: "custom", summaryPrompt: builtIn(template) })}
        >
          Change it
        </Button>
      </details>
    );
  }
  return (
    <>
      <SettingRow
        settings={settings}
        name="summaryPrompt"
        label="My own prompt"
        wide
        help="Empty: the general one is used. Saved when you leave the field."
      >
        {(ids) => (
          <TextControl
            ids={ids}
            lines={10}
            empty={builtIn("general")}
            value={(settings.data?.values.summaryPrompt?.value as string | null | undefined) ?? null}
            onChange={(summaryPrompt) => settings.set({ summaryPrompt })}
          />
        )}
      </SettingRow>
      <div className="flex flex-wrap gap-2 pb-3">
        <Button onClick={() => settings.set({ summaryPrompt: builtIn("general") })}>Reset to the general prompt</Button>
        <Button onClick={() => settings.set({ summaryPrompt: builtIn("code") })}>
          Reset to the programming prompt
        </Button>
      </div>
      <section aria-labelledby="variables">
        <h3 id="variables" className="text-sm font-medium">
          Variables
        </h3>
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 text-sm">
          {prompts.data.variables.map(({ name, meaning }) => (
            <div key={name} className="contents">
              <dt>
                <code className="font-mono text-xs">{name}</code>
              </dt>
              <dd className="text-ink-soft">{meaning}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}
