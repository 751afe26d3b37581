import { createContext, type ReactNode, useContext, useId } from "react";
import type { Settings } from "../api/types.gen.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { UndoIcon } from "../ui/icons.tsx";
import type { SettingName, SettingsOfScope } from "./use-settings.ts";

/** Search words, in lower case: only settings that contain them are shown; all while it is empty. */
export const SettingSearch = createContext("");

export interface ControlIds {
  readonly id: string;
  readonly labelId: string;
  readonly describedBy: string;
}

interface SettingRowProps {
  readonly settings: SettingsOfScope;
  readonly name: SettingName;
  readonly label: string;
  readonly help?: ReactNode;
  /** Below the label, over the whole width: for long texts. */
  readonly wide?: boolean;
  /** Beside the label on small screens too: for small controls. */
  readonly beside?: boolean;
  readonly children: (ids: ControlIds) => ReactNode;
}

/** One setting: its label, its value, where the value comes from, and a button to inherit it again. */
export function SettingRow({ settings, name, label, help, wide = false, beside = false, children }: SettingRowProps) {
  const id = useId();
  const effective = settings.data?.values[name];
  const words = useContext(SettingSearch);
  if (effective === undefined) return null;
  if (words !== "" && !`${label} ${typeof help === "string" ? help : ""}`.toLowerCase().includes(words)) return null;
  const own = settings.data?.own[name] !== undefined;
  const ids = { id, labelId: `${id}-label`, describedBy: `${id}-source` };
  return (
    <div
      data-setting={name}
      className={`grid gap-x-6 gap-y-2 border-t border-line py-3 first:border-t-0 ${wide ? "grid-cols-1" : beside ? "grid-cols-[minmax(0,1fr)_auto] items-start" : "grid-cols-1 sm:grid-cols-[minmax(0,1fr)_18rem] sm:items-start"}`}
    >
      <div className="min-w-0">
        <label id={ids.labelId} htmlFor={id} className="font-medium">
          {label}
        </label>
        {help !== undefined && <p className="text-sm text-ink-soft">{help}</p>}
        <p id={ids.describedBy} className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-ink-soft">
          {(own || effective.source.level !== "default") && (
            <Badge tone={own ? "good" : "plain"}>{sourceWords(effective.source)}</Badge>
          )}
          {own && (
            <>
              <span>
                otherwise {valueWords(effective.inherited)} ({sourceWords(effective.inheritedFrom)})
              </span>
              <Button
                kind="quiet"
                className="min-h-7 px-1.5 py-0 text-xs text-accent"
                aria-label={`Inherit again: ${label}`}
                onClick={() => settings.reset(name)}
              >
                <UndoIcon size={13} /> Inherit again
              </Button>
            </>
          )}
        </p>
      </div>
      <div className="min-w-0">{children(ids)}</div>
    </div>
  );
}

type SettingSource = Settings["values"][string]["source"];

/** Where a value comes from, in words. */
function sourceWords({ level, name }: SettingSource): string {
  switch (level) {
    case "default":
      return "default";
    case "config":
      return "midfold.yaml";
    case "global":
      return "set for all conversations";
    case "provider":
      return `set for provider ${name ?? ""}`;
    case "model":
      return `set for model ${name ?? ""}`;
    case "session":
      return "set for this conversation";
  }
}

/** A setting's value as a person says it. */
function valueWords(value: unknown): string {
  if (value === true) return "on";
  if (value === false) return "off";
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "number") return new Intl.NumberFormat("en").format(value);
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
