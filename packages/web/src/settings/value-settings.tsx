import { NumberControl, SwitchControl } from "./controls.tsx";
import { SettingRow } from "./setting-row.tsx";
import type { SettingName, SettingsOfScope } from "./use-settings.ts";

interface ValueSettingProps {
  readonly settings: SettingsOfScope;
  readonly name: SettingName;
  readonly label: string;
  readonly help?: string;
}

export function SwitchSetting({ settings, name, label, help }: ValueSettingProps) {
  return (
    <SettingRow settings={settings} name={name} label={label} help={help} beside>
      {(ids) => (
        <SwitchControl
          ids={ids}
          value={settings.data?.values[name]?.value === true}
          onChange={(on) => settings.set({ [name]: on })}
        />
      )}
    </SettingRow>
  );
}

interface NumberSettingProps extends ValueSettingProps {
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  /** What an empty field means; without it the field must not be empty. */
  readonly empty?: string;
  readonly slider?: boolean;
}

export function NumberSetting({ settings, name, label, help, ...control }: NumberSettingProps) {
  const value = settings.data?.values[name]?.value;
  return (
    <SettingRow settings={settings} name={name} label={label} help={help}>
      {(ids) => (
        <NumberControl
          ids={ids}
          value={typeof value === "number" ? value : null}
          onChange={(number) => settings.set({ [name]: number })}
          {...control}
        />
      )}
    </SettingRow>
  );
}
