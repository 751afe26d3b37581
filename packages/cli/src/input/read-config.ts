import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { parseEnv } from "node:util";
import { MidfoldError } from "@midfold/core";
import { type ConfigSource, type Environment, loadConfig, type ServerConfig } from "@midfold/server";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";

const usualNames = ["midfold.yaml", "midfold.yml"];

/** The file with keys that `midfold init` writes beside the configuration; the environment overrides it. */
export const keyFileName = "midfold.env";

export interface ConfigFlag {
  readonly config?: string;
}

/** The option that names the configuration file, for every command that needs it. */
export function addConfigFlag(command: Command): Command {
  return command.option("-c, --config <file>", "configuration file; without this midfold.yaml, if there is one");
}

export interface ConfigInputs {
  readonly source: ConfigSource | undefined;
  readonly env: Environment;
}

/** The configuration from the named file, from the usual one if it exists, or from the environment alone. */
export function readConfig(context: CliContext, named: string | undefined): ServerConfig {
  const { source, env } = readConfigInputs(context, named);
  return loadConfig(source, env);
}

/** The text of the configuration file, and the environment, with the values of the key file where it has none. */
export function readConfigInputs(context: CliContext, named: string | undefined): ConfigInputs {
  const file = findFile(context, named ?? context.env.MIDFOLD_CONFIG);
  const folder = file === undefined ? context.cwd : dirname(file.path);
  const keys = join(folder, keyFileName);
  return {
    source: file === undefined ? undefined : { file: file.name, text: readFileSync(file.path, "utf8") },
    env: existsSync(keys) ? { ...parseEnv(readFileSync(keys, "utf8")), ...context.env } : context.env,
  };
}

function findFile(
  context: CliContext,
  named: string | undefined,
): { readonly name: string; readonly path: string } | undefined {
  if (named !== undefined && named !== "") {
    const path = isAbsolute(named) ? named : join(context.cwd, named);
    if (!existsSync(path)) throw new MidfoldError("INVALID_CONFIG", `There is no configuration file at ${path}.`);
    return { name: named, path };
  }
  const name = usualNames.find((usual) => existsSync(join(context.cwd, usual)));
  return name === undefined ? undefined : { name, path: join(context.cwd, name) };
}
