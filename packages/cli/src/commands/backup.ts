import { restoreStore } from "@midfold/store";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { databaseUrl, secretOf, withDatabase } from "../input/open-database.ts";
import { readConfig } from "../input/read-config.ts";

export function addBackup(program: Command, context: CliContext): void {
  program
    .command("backup")
    .description("write a consistent copy of the database while the server runs")
    .argument("<file>", "where to; must not exist")
    .option("-c, --config <file>", "configuration file")
    .action(async (file: string, flags: { readonly config?: string }) => {
      await withDatabase(context, readConfig(context, flags.config), (store) => store.backup(file));
      context.warn(`Written to ${file}.\n`);
    });
  program
    .command("restore")
    .description("make a new database from a backup")
    .argument("<file>", "a backup")
    .option("-c, --config <file>", "configuration file")
    .action(async (file: string, flags: { readonly config?: string }) => {
      const url = databaseUrl(context, readConfig(context, flags.config));
      if (url !== undefined) await restoreStore({ from: file, url, secret: secretOf(context) });
      context.warn(url === undefined ? "No database is configured.\n" : `Restored from ${file}.\n`);
    });
}
