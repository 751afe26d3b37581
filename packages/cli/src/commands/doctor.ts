import { isMidfoldError } from "@midfold/core";
import { type ServerConfig, upstreamOf } from "@midfold/server";
import { createUpstreamClient, protocolPaths } from "@midfold/wire";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { withDatabase } from "../input/open-database.ts";
import { readConfig } from "../input/read-config.ts";

interface Finding {
  readonly ok: boolean;
  readonly what: string;
  readonly detail: string;
}

export function addDoctor(program: Command, context: CliContext, setExit: (code: number) => void): void {
  program
    .command("doctor")
    .description("check configuration, database and upstreams, and say what to do about what is wrong")
    .option("-c, --config <file>", "configuration file")
    .action(async (flags: { readonly config?: string }) => {
      const findings: Finding[] = [];
      const config = await check(findings, "configuration", async () => {
        const loaded = readConfig(context, flags.config);
        return [loaded, `${loaded.routes.length} routes to ${Object.keys(loaded.upstreams).length} upstreams`];
      });
      if (config !== undefined) {
        for (const warning of config.warnings) findings.push({ ok: true, what: "note", detail: warning });
        await checkDatabase(findings, context, config);
        await checkUpstreams(findings, config);
      }
      for (const { ok, what, detail } of findings)
        context.write(`${ok ? "ok  " : "FAIL"}  ${what.padEnd(24)} ${detail}\n`);
      setExit(findings.every(({ ok }) => ok) ? 0 : 1);
    });
}

async function checkDatabase(findings: Finding[], context: CliContext, config: ServerConfig): Promise<void> {
  if (config.server.database === "none") {
    findings.push({ ok: true, what: "database", detail: "none: everything is forgotten when the server stops" });
    return;
  }
  await check(findings, "database", () =>
    withDatabase(context, config, async (store) => {
      const status = await store.ping();
      const problems = await store.check();
      if (problems.length > 0) throw new Error(problems.join("; "));
      return [undefined, `${status.engine} ${status.version}, schema ${status.schemaVersion}, sound`];
    }),
  );
}

async function checkUpstreams(findings: Finding[], config: ServerConfig): Promise<void> {
  const client = createUpstreamClient({ retry: { retries: 0 } });
  for (const upstream of Object.values(config.upstreams)) {
    if (upstream.provider === "demo") continue;
    await check(findings, `upstream ${upstream.name}`, async () => {
      const path = protocolPaths[upstream.protocols[0]].models;
      const response = await client.send(upstreamOf(config, upstream), {
        path,
        deadlines: { firstByte: 10_000, total: 10_000 },
      });
      await response.body.cancel();
      if (response.status === 401 || response.status === 403) {
        if (upstream.credentials === "passthrough") return [undefined, "reachable; callers bring their own key"];
        throw new Error(
          `it refuses the key${upstream.apiKeyEnv === undefined ? "" : ` in ${upstream.apiKeyEnv}`} (${response.status})`,
        );
      }
      return [undefined, `reachable at ${upstream.baseUrl} (${response.status})`];
    });
  }
  await client.close();
}

async function check<TValue>(
  findings: Finding[],
  what: string,
  work: () => Promise<readonly [TValue, string]>,
): Promise<TValue | undefined> {
  try {
    const [value, detail] = await work();
    findings.push({ ok: true, what, detail });
    return value;
  } catch (error) {
    const detail = isMidfoldError(error) || error instanceof Error ? error.message : String(error);
    findings.push({ ok: false, what, detail });
    return undefined;
  }
}
