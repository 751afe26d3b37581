import type { Settings } from "../api/types.gen.ts";

export type SettingSource = Settings["values"][string]["source"];

/** Where a value comes from, in words. */
export function sourceWords({ level, name }: SettingSource): string {
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
export function valueWords(value: unknown): string {
  if (value === true) return "on";
  if (value === false) return "off";
  if (value === null || value === undefined || value === "") return "none";
  if (typeof value === "number") return new Intl.NumberFormat("en").format(value);
  const text = String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
