import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createLogger, createServer, type ServerConfig } from "@midfold/server";
import { openStore } from "@midfold/store";
import type { CliContext } from "./context.ts";
import { databaseUrl, secretOf } from "./input/open-database.ts";

type Logger = ReturnType<typeof createLogger>;

export interface RunningGateway {
  readonly url: string;
  readonly logger: Logger;
  /** Applies what can be changed while running from a configuration that was read again. */
  reload(config: ServerConfig): ReturnType<ReturnType<typeof createServer>["reload"]>;
  /** Logs an error that no request caught, and keeps serving the others. */
  handleStrayError(error: unknown): void;
  /** Lets running answers finish, then closes everything. */
  stop(): Promise<void>;
}

export interface StartGatewayOptions {
  readonly version: string;
  /** Where log lines go; standard error when absent. */
  readonly log?: { write(line: string): void };
}

/** Gateway, chat app and console in this process, as configured. */
export async function startGateway(
  context: CliContext,
  config: ServerConfig,
  { version, log }: StartGatewayOptions,
): Promise<RunningGateway> {
  const logger = createLogger({
    level: config.server.logLevel,
    onDrop: () => server?.lostLogLine(),
    ...(log === undefined ? {} : { stream: log }),
  });
  let server: ReturnType<typeof createServer> | undefined;
  const store =
    config.server.database === "none"
      ? undefined
      : await openStore({
          url: databaseUrl(context, config),
          secret: secretOf(context),
          captureContent: config.server.capture,
          onProblem: ({ about, message, cause }) => logger.warn({ about, err: cause }, message),
        });
  const web = findWebFolder();
  const made = createServer({
    config,
    logger,
    version,
    processMetrics: true,
    ...(store === undefined ? {} : { store }),
    ...(web === undefined ? {} : { webFolder: web }),
  });
  server = made;
  const stop = () => made.close().then(() => store?.close());
  try {
    const { url } = await made.listen();
    for (const warning of config.warnings) logger.warn(warning);
    return {
      url,
      logger,
      reload: (next) => made.reload(next),
      handleStrayError: (error) => made.handleStrayError(error),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The built web app: beside this package in the repository, inside it once published. */
function findWebFolder(): string | undefined {
  return ["../../web/dist", "../web"]
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((folder) => existsSync(`${folder}/index.html`));
}
