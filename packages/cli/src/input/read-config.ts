import { existsSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { MidfoldError } from "@midfold/core";
import { type ConfigSource, loadConfig, type ServerConfig } from "@midfold/server";
import type { CliContext } from "../context.ts";

const usualNames = ["midfold.yaml", "midfold.yml"];

/** The configuration from the named file, from the usual one when it is there, or from the environment alone. */
export function readConfig(context: CliContext, named: string | undefined): ServerConfig {
  return loadConfig(readSource(context, named ?? context.env.MIDFOLD_CONFIG), context.env);
}

function readSource(context: CliContext, named: string | undefined): ConfigSource | undefined {
  if (named !== undefined && named !== "") {
    const path = isAbsolute(named) ? named : join(context.cwd, named);
    if (!existsSync(path)) throw new MidfoldError("INVALID_CONFIG", `There is no configuration file at ${path}.`);
    return { file: named, text: readFileSync(path, "utf8") };
  }
  const file = usualNames.find((name) => existsSync(join(context.cwd, name)));
  return file === undefined ? undefined : { file, text: readFileSync(join(context.cwd, file), "utf8") };
}
