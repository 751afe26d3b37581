import { configSources, loadConfig, type ServerConfig } from "@midfold/server";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { addConfigFlag, type ConfigFlag, readConfigInputs } from "../input/read-config.ts";

interface ShowFlags extends ConfigFlag {
  readonly sources?: boolean;
  readonly json?: boolean;
}

interface Setting {
  readonly setting: string;
  readonly value: unknown;
  /** `midfold.yaml:3`, the name of a variable, or `default`. */
  readonly source: string;
}

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command.command("show"))
    .description("print every setting that is in force")
    .option("--sources", "say where each comes from: file and line, a variable, or a default")
    .option("--json", "print the settings as JSON")
    .action((flags: ShowFlags) => {
      const { source, env } = readConfigInputs(context, flags.config);
      const config = loadConfig(source, env);
      const sources = configSources(source, env);
      const settings = flatten(shown(config)).map(([setting, value]) => ({
        setting,
        value,
        source: sourceOf(setting, sources),
      }));
      if (flags.json === true) {
        const rows =
          flags.sources === true ? settings : Object.fromEntries(settings.map((row) => [row.setting, row.value]));
        context.write(`${JSON.stringify(rows)}\n`);
        return;
      }
      for (const row of settings) context.write(describe(row, flags.sources === true));
      for (const warning of config.warnings) context.warn(`note: ${warning}\n`);
    });
}

/** Keys are never printed, since people paste their configuration into issues. */
function shown({ server, upstreams, routes, fold, models, chat }: ServerConfig): object {
  const withoutKeys = Object.entries(upstreams).map(([name, { apiKey, headers: _, ...upstream }]) => {
    return [name, { ...upstream, apiKey: apiKey === undefined ? undefined : "(set)" }];
  });
  return { server, upstreams: Object.fromEntries(withoutKeys), routes, fold, models, chat };
}

/** Every setting by its path; a list of plain values counts as one setting. */
function flatten(value: unknown, path = ""): (readonly [string, unknown])[] {
  if (value === undefined) return [];
  const isBranch =
    typeof value === "object" &&
    value !== null &&
    !(Array.isArray(value) && value.every((item) => typeof item !== "object"));
  if (!isBranch) return [[path, value]];
  return Object.entries(value).flatMap(([name, below]) => flatten(below, path === "" ? name : `${path}.${name}`));
}

/** Where a setting comes from, or where the setting it is derived from does. */
function sourceOf(setting: string, sources: ReadonlyMap<string, string>): string {
  // A route's fold options come from the route itself, or from the general ones where it sets none.
  const [, route, inherited] = /^(routes\.\d+)\.(fold\..+)$/.exec(setting) ?? [];
  const names = [
    setting,
    ...(route === undefined || inherited === undefined ? [] : [setting.replace(".fold.", "."), inherited]),
    // A single variable can add a whole provider, and a provider's name sets its other values.
    ...(/^upstreams\.[^.]+/.exec(setting) ?? []),
    ...(/^routes\.\d+\.override/.test(setting) ? [setting.replace(".override.", ".")] : []),
  ];
  for (const name of names) {
    const source = sources.get(name);
    if (source !== undefined) return source;
  }
  return "default";
}

function describe({ setting, value, source }: Setting, sources: boolean): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `${setting.padEnd(36)} ${sources ? `${text.padEnd(40)} ${source}` : text}\n`;
}
