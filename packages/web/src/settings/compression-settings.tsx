import type { Model } from "../api/types.gen.ts";
import { formatCount } from "../ui/format.ts";
import { NumberControl, SwitchControl } from "./controls.tsx";
import { Section } from "./section.tsx";
import { SettingRow } from "./setting-row.tsx";
import type { SettingsOfScope } from "./use-settings.ts";

interface CompressionSettingsProps {
  readonly settings: SettingsOfScope;
  /** The model the sentences with numbers are about. */
  readonly model: Model | undefined;
}

/** When a conversation is folded by itself, and what of it stays word for word. */
export function CompressionSettings({ settings, model }: CompressionSettingsProps) {
  const value = <TValue,>(name: string) => settings.data?.values[name]?.value as TValue;
  const threshold = value<number>("thresholdPercent");
  const zone =
    model === undefined
      ? "Percent of the model's window at which the next request is folded first."
      : `Acts when the next request would reach ${formatCount(Math.round((model.window * threshold) / 100))} of the ${formatCount(model.window)} tokens of ${model.id}.`;
  return (
    <Section
      title="Automatic compression"
      intro="Older messages become a summary before the window is full. The originals stay."
    >
      <SettingRow settings={settings} name="autoCompression" label="Compress automatically">
        {(ids) => (
          <SwitchControl
            ids={ids}
            value={value<boolean>("autoCompression")}
            onChange={(autoCompression) => settings.set({ autoCompression })}
          />
        )}
      </SettingRow>
      <SettingRow settings={settings} name="thresholdPercent" label="Threshold" help={zone}>
        {(ids) => (
          <NumberControl
            ids={ids}
            slider
            min={10}
            max={100}
            unit="%"
            value={threshold}
            onChange={(percent) => percent !== null && settings.set({ thresholdPercent: percent })}
          />
        )}
      </SettingRow>
      <SettingRow
        settings={settings}
        name="retentionTokens"
        label="Retention"
        help="The newest messages of about this size are never summarised."
      >
        {(ids) => (
          <NumberControl
            ids={ids}
            min={0}
            max={1_000_000}
            unit="tokens"
            value={value<number>("retentionTokens")}
            onChange={(tokens) => tokens !== null && settings.set({ retentionTokens: tokens })}
          />
        )}
      </SettingRow>
      <SettingRow
        settings={settings}
        name="minTokens"
        label="Minimum"
        help="A conversation smaller than this is never compressed by itself."
      >
        {(ids) => (
          <NumberControl
            ids={ids}
            min={0}
            max={1_000_000}
            unit="tokens"
            value={value<number>("minTokens")}
            onChange={(tokens) => tokens !== null && settings.set({ minTokens: tokens })}
          />
        )}
      </SettingRow>
      <SettingRow
        settings={settings}
        name="safetyPercent"
        label="Safety margin"
        help="Part of the window always kept free."
      >
        {(ids) => (
          <NumberControl
            ids={ids}
            min={0}
            max={50}
            unit="%"
            value={value<number>("safetyPercent")}
            onChange={(percent) => percent !== null && settings.set({ safetyPercent: percent })}
          />
        )}
      </SettingRow>
      <SettingRow settings={settings} name="maxOutputTokens" label="Reserve for the reply">
        {(ids) => (
          <NumberControl
            ids={ids}
            min={1}
            max={1_000_000}
            unit="tokens"
            empty="the model's own"
            value={value<number | null>("maxOutputTokens")}
            onChange={(maxOutputTokens) => settings.set({ maxOutputTokens })}
          />
        )}
      </SettingRow>
      <SettingRow
        settings={settings}
        name="notifications"
        label="Notifications"
        help="A note in the corner when a conversation has been compressed, with undo."
      >
        {(ids) => (
          <SwitchControl
            ids={ids}
            value={value<boolean>("notifications")}
            onChange={(notifications) => settings.set({ notifications })}
          />
        )}
      </SettingRow>
    </Section>
  );
}
