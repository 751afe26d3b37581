import { type Command, Option } from "commander";
import type { CommandContext } from "../context.ts";
import { wholeNumber } from "../input/numbers.ts";
import { missingDatabase, withDatabase, withExistingDatabase } from "../input/open-database.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";

interface KeyFlags extends ConfigFlag {
  readonly owner: string;
  readonly json?: boolean;
}

interface AddFlags extends KeyFlags {
  readonly admin?: boolean;
  readonly rpm?: number;
  readonly tpm?: number;
  readonly parallel?: number;
}

export function define(command: Command, context: CommandContext): void {
  const common = (verb: Command) =>
    addConfigFlag(verb)
      .option("--json", "print the result as JSON")
      .addOption(
        new Option("-o, --owner <name>", "whose key it is: data of different owners never mixes").default("default"),
      );
  common(command.command("add"))
    .description("make a key; it is shown once")
    .argument("<name>", "what to recognise it by")
    .option("--admin", "may see every owner's requests in the console")
    .option("--rpm <count>", "requests per minute", wholeNumber)
    .option("--tpm <count>", "tokens per minute", wholeNumber)
    .option("--parallel <count>", "requests at the same time", wholeNumber)
    .action(async (name: string, flags: AddFlags) => {
      const limits = {
        ...(flags.admin === true ? { admin: true } : {}),
        ...(flags.rpm === undefined ? {} : { requestsPerMinute: flags.rpm }),
        ...(flags.tpm === undefined ? {} : { tokensPerMinute: flags.tpm }),
        ...(flags.parallel === undefined ? {} : { concurrentRequests: flags.parallel }),
      };
      const { key, secret } = await withDatabase(context, readConfig(context, flags.config), (store) =>
        store.of(flags.owner).keys.create({ name, limits }),
      );
      if (flags.json === true) {
        context.write(`${JSON.stringify({ id: key.id, name, owner: flags.owner, limits, key: secret })}\n`);
        return;
      }
      context.warn(`Key "${name}" of ${flags.owner} (${key.id}). It is not shown again:\n`);
      context.write(`${secret}\n`);
    });
  common(command.command("list"))
    .description("list keys")
    .action(async (flags: KeyFlags) => {
      const config = readConfig(context, flags.config);
      const isMissing = missingDatabase(context, config) !== undefined;
      const list = isMissing ? [] : await withDatabase(context, config, (store) => store.of(flags.owner).keys.list());
      if (flags.json === true) {
        context.write(`${JSON.stringify(list)}\n`);
        return;
      }
      for (const key of list) {
        const used = key.lastUsedAt === undefined ? "never used" : `used ${new Date(key.lastUsedAt).toISOString()}`;
        context.write(`${key.id}  ${key.prefix}…  ${key.name}  ${key.revokedAt === undefined ? used : "revoked"}\n`);
      }
      if (list.length === 0) context.warn("No keys yet. Make one with: midfold keys add <name>\n");
    });
  common(command.command("revoke"))
    .description("revoke a key; running streams of it end within seconds")
    .argument("<id>", "the key's id, as listed")
    .action(async (id: string, flags: KeyFlags) => {
      const config = readConfig(context, flags.config);
      await withExistingDatabase(context, config, (store) => store.of(flags.owner).keys.revoke(id));
      if (flags.json === true) context.write(`${JSON.stringify({ revoked: id })}\n`);
      else context.warn(`Key ${id} is revoked.\n`);
    });
}
