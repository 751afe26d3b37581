import type { ServerConfig } from "@midfold/server";
import { examineStore } from "@midfold/store";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { checkUpstream } from "../input/check-upstream.ts";
import { databaseUrl } from "../input/open-database.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";

interface Finding {
  readonly ok: boolean;
  readonly what: string;
  readonly detail: string;
}

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .option("--json", "print the findings as JSON")
    .action(async (flags: ConfigFlag & { readonly json?: boolean }) => {
      const findings: Finding[] = [];
      const report = (finding: Finding) => {
        findings.push(finding);
        const { ok, what, detail } = finding;
        // Printed at once, since an upstream that does not answer takes ten seconds.
        if (flags.json !== true) context.write(`${ok ? "ok  " : "FAIL"}  ${what.padEnd(24)} ${detail}\n`);
      };
      const check = async <TValue>(what: string, work: () => Promise<readonly [TValue, string]>) => {
        try {
          const [value, detail] = await work();
          report({ ok: true, what, detail });
          return value;
        } catch (error) {
          report({ ok: false, what, detail: error instanceof Error ? error.message : String(error) });
          return undefined;
        }
      };
      const config = await check("configuration", async () => {
        const loaded = readConfig(context, flags.config);
        return [
          loaded,
          `${plural(loaded.routes.length, "route")} to ${plural(Object.keys(loaded.upstreams).length, "upstream")}`,
        ];
      });
      if (config !== undefined) {
        for (const warning of config.warnings) report({ ok: true, what: "note", detail: warning });
        await check("database", async () => [undefined, await examineDatabase(context, config)]);
        for (const upstream of Object.values(config.upstreams)) {
          if (upstream.provider === "demo") continue;
          if (upstream.credentials === "passthrough") {
            const detail = `${upstream.baseUrl}, with the caller's own key: not asked without one`;
            report({ ok: true, what: `upstream ${upstream.name}`, detail });
            continue;
          }
          await check(`upstream ${upstream.name}`, async () => [
            undefined,
            (await checkUpstream(config, upstream)).detail,
          ]);
        }
      }
      const ok = findings.every((finding) => finding.ok);
      if (flags.json === true) context.write(`${JSON.stringify({ ok, findings })}\n`);
      context.setExit(ok ? 0 : 1);
    });
}

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? "" : "s"}`;

async function examineDatabase(context: CommandContext, config: ServerConfig): Promise<string> {
  if (config.server.database === "none") return "none: everything is forgotten when the server stops";
  const { engine, version, wanted, problems } = await examineStore(databaseUrl(context, config));
  if (version === 0) return `${engine}, none yet: made at the first start`;
  if (version > wanted)
    throw new Error(`It is at version ${version}; this Midfold knows ${wanted}. Start the newer Midfold.`);
  if (version < wanted) return `${engine}, version ${version}: brought to ${wanted} at the next start, after a copy`;
  if (problems.length > 0) throw new Error(problems.join("; "));
  return `${engine}, version ${version}, sound`;
}
