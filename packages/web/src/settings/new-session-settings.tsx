import { TextControl } from "./controls.tsx";
import { Section } from "./section.tsx";
import { SettingRow } from "./setting-row.tsx";
import type { SettingsOfScope } from "./use-settings.ts";
import { NumberSetting } from "./value-settings.tsx";

interface NewSessionSettingsProps {
  readonly settings: SettingsOfScope;
  readonly modelNames: readonly string[];
}

export function NewSessionSettings({ settings, modelNames }: NewSessionSettingsProps) {
  const value = <TValue,>(name: string) => settings.data?.values[name]?.value as TValue;
  return (
    <Section title="New conversations">
      <SettingRow settings={settings} name="defaultModel" label="Model">
        {(ids) => (
          <TextControl
            ids={ids}
            empty="midfold-demo"
            suggestions={modelNames}
            value={value<string>("defaultModel")}
            onChange={(model) =>
              model === null ? settings.reset("defaultModel") : settings.set({ defaultModel: model })
            }
          />
        )}
      </SettingRow>
      <NumberSetting
        settings={settings}
        name="temperature"
        label="Temperature"
        help="How freely the model chooses its words."
        empty="the model's own"
        min={0}
        max={2}
        unit=""
      />
      <SettingRow
        settings={settings}
        name="systemPrompt"
        label="System prompt"
        wide
        help="For conversations that have none of their own."
      >
        {(ids) => (
          <TextControl
            ids={ids}
            lines={3}
            empty="None"
            value={value<string | null>("systemPrompt")}
            onChange={(systemPrompt) => settings.set({ systemPrompt })}
          />
        )}
      </SettingRow>
    </Section>
  );
}
