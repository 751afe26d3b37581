import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { MidfoldError } from "@midfold/core";
import { restoreStore } from "@midfold/store";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { databaseUrl, secretOf } from "../input/open-database.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .argument("<file>", "a backup")
    .option("--json", "print what was done as JSON")
    .action(async (file: string, flags: ConfigFlag & { readonly json?: boolean }) => {
      const from = resolve(context.cwd, file);
      if (!existsSync(from)) throw new MidfoldError("VALIDATION_ERROR", `There is no backup at ${from}.`);
      await restoreStore({
        from,
        url: databaseUrl(context, readConfig(context, flags.config)),
        secret: secretOf(context),
      });
      if (flags.json === true) context.write(`${JSON.stringify({ restored: file })}\n`);
      else context.warn(`Restored from ${file}.\n`);
    });
}
