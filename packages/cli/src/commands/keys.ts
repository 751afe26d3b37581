import { type Command, Option } from "commander";
import type { CliContext } from "../context.ts";
import { withDatabase } from "../input/open-database.ts";
import { readConfig } from "../input/read-config.ts";

interface KeyFlags {
  readonly config?: string;
  readonly owner: string;
}

interface AddFlags extends KeyFlags {
  readonly admin?: boolean;
  readonly rpm?: string;
  readonly tpm?: string;
  readonly parallel?: string;
}

export function addKeys(program: Command, context: CliContext): void {
  const keys = program.command("keys").description("make, list and revoke the keys clients use with this gateway");
  const common = (command: Command) =>
    command
      .option("-c, --config <file>", "configuration file")
      .addOption(
        new Option("-o, --owner <name>", "whose key it is: data of different owners never mixes").default("default"),
      );
  common(keys.command("add"))
    .description("make a key; it is shown once")
    .argument("<name>", "what to recognise it by")
    .option("--admin", "may see every owner's requests in the console")
    .option("--rpm <count>", "requests per minute")
    .option("--tpm <count>", "tokens per minute")
    .option("--parallel <count>", "requests at the same time")
    .action(async (name: string, flags: AddFlags) => {
      const limits = {
        ...(flags.admin === true ? { admin: true } : {}),
        ...(flags.rpm === undefined ? {} : { requestsPerMinute: Number(flags.rpm) }),
        ...(flags.tpm === undefined ? {} : { tokensPerMinute: Number(flags.tpm) }),
        ...(flags.parallel === undefined ? {} : { concurrentRequests: Number(flags.parallel) }),
      };
      const created = await withDatabase(context, readConfig(context, flags.config), (store) =>
        store.of(flags.owner).keys.create({ name, limits }),
      );
      context.warn(`Key "${name}" of ${flags.owner} (${created.key.id}). It is not shown again:\n`);
      context.write(`${created.secret}\n`);
    });
  common(keys.command("list"))
    .description("list keys")
    .action(async (flags: KeyFlags) => {
      const list = await withDatabase(context, readConfig(context, flags.config), (store) =>
        store.of(flags.owner).keys.list(),
      );
      for (const key of list) {
        const used = key.lastUsedAt === undefined ? "never used" : `used ${new Date(key.lastUsedAt).toISOString()}`;
        context.write(`${key.id}  ${key.prefix}…  ${key.name}  ${key.revokedAt === undefined ? used : "revoked"}\n`);
      }
      if (list.length === 0) context.warn("No keys yet. Make one with: midfold keys add <name>\n");
    });
  common(keys.command("revoke"))
    .description("revoke a key; running streams of it end within seconds")
    .argument("<id>", "the key's id, as listed")
    .action(async (id: string, flags: KeyFlags) => {
      await withDatabase(context, readConfig(context, flags.config), (store) => store.of(flags.owner).keys.revoke(id));
      context.warn(`Key ${id} is revoked.\n`);
    });
}
