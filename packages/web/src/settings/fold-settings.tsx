import type { Model } from "../api/types.gen.ts";
import { formatCount } from "../ui/format.ts";
import { Section } from "./section.tsx";
import type { SettingsOfScope } from "./use-settings.ts";
import { NumberSetting, SwitchSetting } from "./value-settings.tsx";

interface FoldSettingsProps {
  readonly settings: SettingsOfScope;
  /** The model that the figures in the help texts are about. */
  readonly model: Model | undefined;
}

const tokens = { max: 1_000_000, unit: "tokens" } as const;

/** When a conversation is folded automatically, and what of it stays word for word. */
export function FoldSettings({ settings, model }: FoldSettingsProps) {
  const threshold = Number(settings.data?.values.thresholdPercent?.value);
  const zone =
    model === undefined
      ? "Percent of the model's window at which older messages are summarized before the next request."
      : `Acts when the next request would reach ${formatCount(Math.round((model.window * threshold) / 100))} of the ${formatCount(model.window)} tokens of ${model.id}.`;
  return (
    <Section
      title="When to summarize"
      intro="Older messages become a summary before the window is full. The originals stay."
    >
      <SwitchSetting settings={settings} name="autoCompression" label="Summarize automatically" />
      <NumberSetting
        settings={settings}
        name="thresholdPercent"
        label="Threshold"
        help={zone}
        slider
        min={10}
        max={100}
        unit="%"
      />
      <NumberSetting
        settings={settings}
        name="retentionTokens"
        label="Retention"
        help="The newest messages of about this size are never summarized."
        min={0}
        {...tokens}
      />
      <NumberSetting
        settings={settings}
        name="minTokens"
        label="Minimum"
        help="A conversation smaller than this is never summarized automatically."
        min={0}
        {...tokens}
      />
      <NumberSetting
        settings={settings}
        name="safetyPercent"
        label="Safety margin"
        help="Part of the window always kept free."
        min={0}
        max={50}
        unit="%"
      />
      <NumberSetting
        settings={settings}
        name="maxOutputTokens"
        label="Reserve for the reply"
        empty="the model's own"
        min={1}
        {...tokens}
      />
      <SwitchSetting
        settings={settings}
        name="notifications"
        label="Notifications"
        help="A note in the corner when a conversation was summarized, with undo."
      />
    </Section>
  );
}
