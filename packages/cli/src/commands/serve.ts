import type { ServerConfig } from "@midfold/server";
import { type Command, Option } from "commander";
import type { CommandContext } from "../context.ts";
import { portNumber } from "../input/numbers.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";
import { banner } from "../output/banner.ts";
import { terminalLines } from "../output/terminal-lines.ts";
import { type RunningGateway, startGateway } from "../start-gateway.ts";
import { returnMemoryAtRest, tuneMemory } from "../tune-memory.ts";

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
      const read = () => withFlags(readConfig(context, flags.config), flags);
      context.setExit(await serve(context, read, flags.json === true));
    });
}

/** Resolves with the exit code when everything is closed. */
async function serve(context: CommandContext, read: () => ServerConfig, json: boolean): Promise<number> {
  tuneMemory();
  const config = read();
  const { version } = context;
  const gateway = await startGateway(context, config, {
    version,
    ...(context.isTerminal ? { log: terminalLines(context.warn) } : {}),
  });
  returnMemoryAtRest();
  const { url, logger } = gateway;
  const routes = config.routes.map(({ model, upstream }) => ({ model, upstream }));
  context.write(json ? `${JSON.stringify({ url, version, routes })}\n` : banner({ url, version, config }));

  const stopped = Promise.withResolvers<number>();
  let stopping = false;
  const stop = (code: number) => {
    // A second signal ends the process at once.
    if (stopping) context.exit(code === 0 ? 130 : code);
    stopping = true;
    logger.info("shutting down: running answers may finish");
    void gateway.stop().then(() => stopped.resolve(code), stopped.reject);
  };
  context.onSignal((signal) => {
    // In a terminal SIGHUP means that the window was closed; from a service manager it means that the configuration
    // changed.
    if (signal === "SIGHUP" && !context.isTerminal) reload(gateway, read);
    else stop(0);
  });
  context.onCrash((error) => gateway.handleStrayError(error));
  return stopped.promise;
}

/** Reads the configuration again. One with an error changes nothing. */
function reload(gateway: RunningGateway, read: () => ServerConfig): void {
  const { logger } = gateway;
  try {
    const next = read();
    const { reloaded, needsRestart } = gateway.reload(next);
    for (const warning of next.warnings) logger.warn(warning);
    logger.warn({ reloaded, needsRestart }, "configuration read again");
  } catch (err) {
    logger.error({ err }, "the configuration could not be read again; the one before stays in force");
  }
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
