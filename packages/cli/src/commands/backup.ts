import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { withExistingDatabase } from "../input/open-database.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .argument("<file>", "where to; must not exist")
    .option("--json", "print what was done as JSON")
    .action(async (file: string, flags: ConfigFlag & { readonly json?: boolean }) => {
      await withExistingDatabase(context, readConfig(context, flags.config), (store) => store.backup(file));
      if (flags.json === true) context.write(`${JSON.stringify({ written: file })}\n`);
      else context.warn(`Written to ${file}.\n`);
    });
}
