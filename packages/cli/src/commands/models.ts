import { isMidfoldError, MidfoldError, resolveModel, supportedModels } from "@midfold/core";
import { type ResolvedRoute, resolveRoute, type ServerConfig } from "@midfold/server";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { checkUpstream } from "../input/check-upstream.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";

interface ModelsFlags extends ConfigFlag {
  readonly upstreams?: boolean;
  readonly json?: boolean;
}

interface ModelRow {
  readonly model: string;
  readonly window: number;
  readonly maxOutput: number;
  /** False when the window is a guess. */
  readonly known: boolean;
  readonly counting: "exact" | "estimated";
  /** Dollars per million tokens; absent where unknown. */
  readonly input?: number;
  readonly cacheRead?: number;
  readonly output?: number;
  readonly upstream: string;
}

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .argument("[name]", "only models whose name contains this; a full name is shown even if no list has it")
    .option("--upstreams", "ask the configured upstreams for their lists instead of printing the built-in table")
    .option("--json", "print the list as JSON")
    .action(async (name: string | undefined, flags: ModelsFlags) => {
      const config = readConfig(context, flags.config);
      const listed = flags.upstreams === true ? await askUpstreams(context, config) : tabled(config);
      const matching = listed.filter((id) => name === undefined || id.toLowerCase().includes(name.toLowerCase()));
      const names = matching.length === 0 && name !== undefined ? [name] : matching;
      const rows = names.map((id) => toRow(id, config));
      if (flags.json === true) context.write(`${JSON.stringify(rows)}\n`);
      else context.write(describe(rows));
    });
}

/** The models to list: first those of the configuration, then those of the built-in table. */
function tabled(config: ServerConfig): string[] {
  const named = config.routes.flatMap(({ model, aliases }) => [model, ...aliases]).filter((id) => !id.includes("*"));
  return [...new Set([...named, ...supportedModels(config.models).map(({ id }) => id)])];
}

async function askUpstreams(context: CommandContext, config: ServerConfig): Promise<string[]> {
  const found = new Set<string>();
  for (const upstream of Object.values(config.upstreams)) {
    if (upstream.provider === "demo" || upstream.credentials === "passthrough") continue;
    try {
      const { models, detail } = await checkUpstream(config, upstream);
      if (models === undefined) context.warn(`warning: ${upstream.name}: ${detail}\n`);
      for (const model of models ?? []) found.add(model);
    } catch (error) {
      context.warn(`warning: ${upstream.name}: ${(error as Error).message}\n`);
    }
  }
  if (found.size === 0)
    throw new MidfoldError("NOT_FOUND", "No upstream lists any model. Check them with: midfold doctor");
  return [...found].sort();
}

function toRow(model: string, config: ServerConfig): ModelRow {
  const route = routeOf(model, config);
  // The demo model answers to any name; here the real model of that name is meant.
  const standsIn = route === undefined || route.upstream.provider === "demo";
  const info = standsIn ? resolveModel(model, { overrides: config.models }) : route.model;
  const { input, cacheRead, output } = info.prices;
  return {
    model,
    window: info.window,
    maxOutput: info.maxOutput,
    known: info.known,
    counting: info.counting.exact ? "exact" : "estimated",
    ...(input === undefined ? {} : { input }),
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(output === undefined ? {} : { output }),
    upstream: route?.upstream.name ?? "(no route)",
  };
}

function routeOf(model: string, config: ServerConfig): ResolvedRoute | undefined {
  try {
    return resolveRoute(config, model);
  } catch (error) {
    if (isMidfoldError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}

function describe(rows: readonly ModelRow[]): string {
  const cells = rows.map((row) => [
    row.model,
    `${row.window}${row.known ? "" : "?"}`,
    String(row.maxOutput),
    row.counting,
    price(row.input),
    price(row.cacheRead),
    price(row.output),
    row.upstream,
  ]);
  const table = [["model", "window", "output", "counting", "$ in", "$ cached", "$ out", "upstream"], ...cells];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = table.map((row) =>
    row
      .map((cell, at) =>
        at === 0 || at === 3 || at === 7 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const guessed = rows.some(({ known }) => !known)
    ? "? a guess: say what it is under models: in midfold.yaml, or with --window\n"
    : "";
  return `${lines.join("\n")}\n${guessed}`;
}

function price(dollars: number | undefined): string {
  return dollars === undefined ? "–" : String(dollars);
}
