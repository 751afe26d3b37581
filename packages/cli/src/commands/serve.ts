import { resolveModel } from "@midfold/core";
import type { ServerConfig } from "@midfold/server";
import { type Command, Option } from "commander";
import type { CommandContext } from "../context.ts";
import { portNumber } from "../input/numbers.ts";
import { addConfigFlag, type ConfigFlag, readConfig } from "../input/read-config.ts";
import { agents, launchLine } from "../output/agent-launch.ts";
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

interface BannerOptions {
  readonly url: string;
  readonly version: string;
  readonly config: ServerConfig;
}

/** What to do next, ready to paste. */
function banner({ url, version, config }: BannerOptions): string {
  const needsKey = config.server.keys === "required";
  const upstreams = config.routes.map((route) => config.upstreams[route.upstream]);
  const keyless = upstreams.every((upstream) => isDemo(upstream) || upstream?.credentials === "passthrough");
  const demo = keyless && upstreams.some(isDemo);
  const passes = keyless && !demo;
  const key = needsKey ? "<your key: midfold keys add>" : passes ? "<your key at the provider>" : "any";
  const anthropic = upstreams.every((upstream) => upstream?.protocols[0] === "anthropic-messages");
  const model = demo ? "midfold-demo" : anthropic ? "claude-sonnet-4-5" : "gpt-5";
  const routes = config.routes.map((route) => `${route.model} → ${route.upstream}`).join(", ");
  const gateway = { url, key, model, isOnlyModel: demo, window: resolveModel(model).window };
  const lines = Object.entries(agents).map(
    ([command, { title, launch }]) => `  ${title.padEnd(13)} ${launchLine(command, launch(gateway))}`,
  );
  const about = demo
    ? "   (callers' own keys are passed on; midfold-demo needs none; run midfold init, or set ANTHROPIC_API_KEY or OPENAI_API_KEY)"
    : passes
      ? "   (callers' own keys are passed on)"
      : "";
  const byHand = demo
    ? ", with the demo model (for your own login or key leave key and model out)"
    : passes
      ? ", with your own key at the provider (for your own login leave it out)"
      : "";
  const bearer = needsKey || passes ? ` -H 'authorization: Bearer ${key}'` : "";
  return `
  Midfold ${version}   ${url}

  chat and console   ${url}
  routes             ${routes}${about}
  folding            ${config.fold.enabled ? `on, preset ${config.fold.preset}` : "OFF"}

  In another terminal: midfold wrap claude   (or codex, opencode, qwen, aider, goose). By hand${byHand}:

${lines.join("\n")}
  Anthropic SDK new Anthropic({ baseURL: "${url}", apiKey: "${key}" })
  OpenAI SDK    new OpenAI({ baseURL: "${url}/v1", apiKey: "${key}" })
  curl          curl ${url}/v1/chat/completions -H 'content-type: application/json'${bearer} -d '{"model":"${model}","messages":[{"role":"user","content":"hello"}]}'

`;
}

const isDemo = (upstream: ServerConfig["upstreams"][string] | undefined) => upstream?.provider === "demo";

/** Log lines for a person at a terminal: time, level, words, then the facts that are not empty. */
function terminalLines(write: (text: string) => void): { write(line: string): void } {
  return {
    write: (line) => {
      try {
        const { level, time, msg, ...facts } = JSON.parse(line) as Record<string, unknown>;
        const clock = typeof time === "string" ? time.slice(11, 19) : "";
        const rest = Object.entries(facts)
          .filter(([, value]) => value !== undefined && value !== null && value !== "")
          .map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : String(value)}`)
          .join(" ");
        write(`${clock} ${String(level).padEnd(5)} ${String(msg ?? "")}  ${rest}\n`);
      } catch {
        write(line);
      }
    },
  };
}
