import { setFlagsFromString } from "node:v8";
import type { ServerConfig } from "@midfold/server";
import { type Command, Option } from "commander";
import type { CommandContext } from "../context.ts";
import { portNumber } from "../input/numbers.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";
import { banner } from "../output/banner.ts";
import { terminalLines } from "../output/terminal-lines.ts";
import { startGateway } from "../start-gateway.ts";

interface ServeFlags extends ConfigFlag {
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly logLevel?: ServerConfig["server"]["logLevel"];
  readonly json?: boolean;
}

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .option("--host <address>", "address to listen on")
    .option("-p, --port <port>", "port to listen on; 0 takes any that is free", portNumber)
    .option("--database <url>", "sqlite:path, postgres://… or none")
    .addOption(new Option("--log-level <level>", "how much to log").choices(["debug", "info", "warn", "error"]))
    .option("--json", "print address and routes as one line of JSON instead of what to paste")
    .action(async (flags: ServeFlags) => {
      context.setExit(await serve(context, withFlags(readConfig(context, flags.config), flags), flags.json === true));
    });
}

/** Resolves with the exit code when everything has come to its end. */
async function serve(context: CommandContext, config: ServerConfig, json: boolean): Promise<number> {
  collectSeldom();
  const { version } = context;
  const gateway = await startGateway(context, config, {
    version,
    ...(context.isTerminal ? { log: terminalLines(context.warn) } : {}),
  });
  const { url, logger } = gateway;
  const routes = config.routes.map(({ model, upstream }) => ({ model, upstream }));
  context.write(json ? `${JSON.stringify({ url, version, routes })}\n` : banner({ url, version, config }));

  const stopped = Promise.withResolvers<number>();
  let stopping = false;
  const stop = (code: number) => {
    // A second signal means: now.
    if (stopping) context.exit(code === 0 ? 130 : code);
    stopping = true;
    logger.info("shutting down: running answers may finish");
    void gateway.stop().then(() => stopped.resolve(code), stopped.reject);
  };
  context.onSignal(() => stop(0));
  context.onCrash((error) => gateway.survive(error));
  return stopped.promise;
}

/**
 * By default every 64 MB of request bodies, dead or alive, start a collection of the whole heap: a quarter of the time
 * with long conversations. Only the engine of Node 24 is known to take the setting; others complain about what they do
 * not know.
 */
function collectSeldom(): void {
  if (process.versions.v8.startsWith("13.")) setFlagsFromString("--external-memory-accounted-in-global-limit");
}

function withFlags(config: ServerConfig, flags: ServeFlags): ServerConfig {
  const { server } = config;
  return {
    ...config,
    server: {
      ...server,
      host: flags.host ?? server.host,
      port: flags.port ?? server.port,
      database: flags.database ?? server.database,
      logLevel: flags.logLevel ?? server.logLevel,
    },
  };
}
