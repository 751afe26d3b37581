import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { createLogger, createServer, type ServerConfig } from "@midfold/server";
import { openStore, type Store } from "@midfold/store";
import { type Command, InvalidArgumentError } from "commander";
import type { CliContext } from "../context.ts";
import { databaseUrl, secretOf } from "../input/open-database.ts";
import { readConfig } from "../input/read-config.ts";
import { banner } from "../output/banner.ts";
import { terminalLines } from "../output/terminal-lines.ts";

interface ServeFlags {
  readonly config?: string;
  readonly host?: string;
  readonly port?: number;
  readonly database?: string;
  readonly logLevel?: string;
}

export function addServe(
  program: Command,
  context: CliContext,
  version: string,
  setExit: (code: number) => void,
): void {
  program
    .command("serve", { isDefault: true })
    .description("start the gateway, the chat app and the console")
    .option("-c, --config <file>", "configuration file; midfold.yaml is read when it is there")
    .option("--host <address>", "address to listen on")
    .option("-p, --port <port>", "port to listen on; 0 takes any that is free", port)
    .option("--database <url>", "sqlite:path, postgres://… or none")
    .option("--log-level <level>", "debug, info, warn or error")
    .action(async (flags: ServeFlags) => {
      const config = withFlags(readConfig(context, flags.config), flags);
      setExit(await serve(context, config, version));
    });
}

/** Resolves with the exit code when everything has come to its end. */
async function serve(context: CliContext, config: ServerConfig, version: string): Promise<number> {
  collectSeldom();
  const logger = createLogger({
    level: config.server.logLevel,
    ...(context.isTerminal ? { stream: terminalLines(context.warn) } : {}),
  });
  const store = await openConfigured(context, config, (facts, message) => logger.warn(facts, message));
  const web = findWebFolder();
  const server = createServer({
    config,
    logger,
    version,
    processMetrics: true,
    ...(store === undefined ? {} : { store }),
    ...(web === undefined ? {} : { webFolder: web }),
  });
  const address = await server.listen();
  context.write(banner({ url: address.url, version, config }));
  for (const warning of config.warnings) logger.warn(warning);

  const stopped = Promise.withResolvers<number>();
  let stopping = false;
  const stop = (code: number) => {
    // A second signal means: now.
    if (stopping) context.exit(code === 0 ? 130 : code);
    stopping = true;
    logger.info("shutting down: running answers may finish");
    void server
      .close()
      .then(() => store?.close())
      .then(() => stopped.resolve(code), stopped.reject);
  };
  context.onSignal(() => stop(0));
  context.onCrash((error) => server.survive(error));
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

async function openConfigured(
  context: CliContext,
  config: ServerConfig,
  warn: (facts: object, message: string) => void,
): Promise<Store | undefined> {
  const url = databaseUrl(context, config);
  if (url === undefined) return undefined;
  return openStore({
    url,
    secret: secretOf(context),
    captureContent: config.server.capture,
    onProblem: ({ about, message, cause }) => warn({ about, err: cause }, message),
  });
}

function withFlags(config: ServerConfig, flags: ServeFlags): ServerConfig {
  const level = flags.logLevel as ServerConfig["server"]["logLevel"] | undefined;
  return {
    ...config,
    server: {
      ...config.server,
      host: flags.host ?? config.server.host,
      port: flags.port ?? config.server.port,
      database: flags.database ?? config.server.database,
      logLevel: level ?? config.server.logLevel,
    },
  };
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new InvalidArgumentError("It must be 0 to 65535.");
  return value;
}

/** The built web app: beside this package in the repository, inside it once published. */
function findWebFolder(): string | undefined {
  return ["../../../web/dist", "../../web"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((folder) => existsSync(`${folder}/index.html`));
}
