import { type ChildProcess, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { resolve } from "node:path";
import { MidfoldError, resolveModel } from "@midfold/core";
import { loadConfig, type ServerConfig } from "@midfold/server";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { addConfigFlag, type ConfigFlag, readConfigInputs } from "../input/read-config.ts";
import { type AgentLaunch, agents, anyProgram, type GatewayAddress, launchLine } from "../output/agent-launch.ts";
import { startGateway } from "../start-gateway.ts";

interface WrapFlags extends ConfigFlag {
  readonly url?: string;
  readonly model?: string;
  readonly login?: boolean;
  readonly log?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** A refused connection fails at once; only a busy gateway takes this long to answer. */
const patienceMs = 10_000;

export function define(command: Command, context: CommandContext): void {
  addConfigFlag(command)
    .argument("<agent>", `${Object.keys(agents).join(", ")}, or any program that reads the usual variables`)
    .argument("[args...]", "what the agent gets, after --")
    .option(
      "--url <address>",
      "a gateway that runs; otherwise MIDFOLD_URL, this machine's configured port (4141), or one for as long as the agent runs",
    )
    .option("-m, --model <name>", "the model to ask for, for agents that must be told (opencode, qwen, aider, goose)")
    .option("--login", "claude: use the login of Claude Code; its credentials go to Anthropic and nowhere else")
    .option(
      "--log <file>",
      "file for the gateway's log; without this no log is kept, since the terminal belongs to the agent",
    )
    .option("--dry-run", "print the command line instead of running it")
    .option("--json", "with --dry-run: print command, arguments and variables as JSON")
    .passThroughOptions()
    .action(async (name: string, words: readonly string[], flags: WrapFlags) => {
      checkOrder(command, name, words);
      const args = words[0] === "--" ? words.slice(1) : words;
      const gateway = await findGateway(context, name, flags);
      try {
        const launch = launchOf(context, name, gateway.address, flags);
        const whole = { ...launch, args: [...launch.args, ...args] };
        if (flags.dryRun === true)
          context.write(`${flags.json ? JSON.stringify({ command: name, ...whole }) : launchLine(name, whole)}\n`);
        else context.setExit(await run(context, name, launch, args));
      } finally {
        await gateway.stop();
      }
    });
}

/** What follows the agent's name belongs to the agent. An option of ours there, before the `--`, was meant for us. */
function checkOrder(command: Command, agent: string, words: readonly string[]): void {
  const before = words.slice(0, Math.max(0, words.indexOf("--")));
  const isOurs = (word: string) =>
    command.options.some(({ long, short }) => word === short || word.split("=", 1)[0] === long);
  if (!before.some(isOurs)) return;
  const line = ["midfold wrap", ...before, agent, ...words.slice(before.length)].join(" ");
  throw new MidfoldError("VALIDATION_ERROR", `Midfold's own options go before the agent's name: ${line}`);
}

interface FoundGateway {
  readonly address: GatewayAddress;
  stop(): Promise<void>;
}

/** A gateway that is running, or a new one that ends with the agent and stores nothing. */
async function findGateway(context: CommandContext, agent: string, flags: WrapFlags): Promise<FoundGateway> {
  const named = flags.url ?? context.env.MIDFOLD_URL;
  const url = named ?? configuredUrl(context, flags);
  const key = context.env.MIDFOLD_KEY ?? "any";
  // A login has to be passed through to the provider, which only a gateway started here is configured for.
  if ((named !== undefined || flags.login !== true) && (await isMidfold(url))) {
    const address = await withModel({ url, key }, flags.model);
    if (address.isOnlyModel) warnOfDemo(context, agent, ` at ${url}`);
    return { address, stop: async () => undefined };
  }
  if (named !== undefined) {
    throw new MidfoldError("UPSTREAM_UNREACHABLE", `No Midfold answers at ${url}. Start one with: midfold serve`);
  }
  if (flags.dryRun === true) {
    const model = flags.model ?? "midfold-demo";
    const { window } = resolveModel(model);
    return { address: { url, key, model, isOnlyModel: false, window }, stop: async () => undefined };
  }
  const config = configFor(context, flags);
  if (isDemo(config)) warnOfDemo(context, agent);
  const { log } = flags;
  const running = await startGateway(context, config, {
    version: context.version,
    log: { write: (line) => (log === undefined ? undefined : appendFileSync(resolve(context.cwd, log), line)) },
  });
  // The name that MIDFOLD_MODEL gives to all others.
  const only = config.routes.find(({ model }) => model === "*")?.upstreamModel;
  return { address: await withModel({ url: running.url, key }, flags.model ?? only), stop: running.stop };
}

/** Where `midfold serve` would listen, with the same file and variables. */
function configuredUrl(context: CommandContext, flags: WrapFlags): string {
  const { source, env } = readConfigInputs(context, flags.config);
  return `http://127.0.0.1:${loadConfig(source, env).server.port}`;
}

/** `where` is the gateway's address, if it was not started here. */
function warnOfDemo(context: CommandContext, agent: string, where = ""): void {
  const login = agent === "claude" ? ", or add --login to use the login of Claude Code" : "";
  context.warn(
    `midfold: No provider is configured${where}, so the built-in demo model answers. Run midfold init${login}.\n`,
  );
}

/** As configured, but on a free port, for this machine only, and without a database unless one is named. */
function configFor(context: CommandContext, flags: WrapFlags): ServerConfig {
  const { source, env: given } = readConfigInputs(context, flags.config);
  // Without a configuration file no preset was chosen; `agent` suits what is wrapped.
  const env = source === undefined ? { MIDFOLD_PRESET: "agent", ...given } : given;
  const keep = env.MIDFOLD_DATABASE !== undefined || /^\s*database:/m.test(source?.text ?? "");
  const login = `
upstreams: { login: { provider: anthropic, credentials: passthrough } }
routes: [{ model: "*", upstream: login, preset: agent }]`;
  const found = flags.login === true ? loadConfig({ file: "--login", text: login }, env) : loadConfig(source, env);
  // The agent gets a key of ours, which a provider would refuse. Without a provider the demo model answers to every
  // name.
  const keyless = flags.login !== true && source === undefined && Object.values(found.upstreams).every(isKeyless);
  const config = keyless ? loadConfig(undefined, { ...env, MIDFOLD_MODEL: "midfold-demo" }) : found;
  const { server } = config;
  return {
    ...config,
    server: { ...server, host: "127.0.0.1", port: 0, keys: "none", database: keep ? server.database : "none" },
  };
}

const isKeyless = ({ provider, credentials }: ServerConfig["upstreams"][string]) =>
  provider === "demo" || credentials === "passthrough";

const isDemo = (config: ServerConfig) =>
  config.routes.every((route) => config.upstreams[route.upstream]?.provider === "demo");

async function isMidfold(url: string): Promise<boolean> {
  if (!URL.canParse(url)) throw new MidfoldError("VALIDATION_ERROR", `${url} is not an address.`);
  try {
    const response = await fetch(new URL("/openapi.json", url), { signal: AbortSignal.timeout(patienceMs) });
    const { info } = (await response.json()) as { readonly info?: { readonly title?: unknown } };
    return response.ok && String(info?.title).includes("Midfold");
  } catch {
    return false;
  }
}

/** The model the agent is to ask for: the one that was named, or the first one the gateway lists that is no demo. */
async function withModel(
  { url, key }: { url: string; key: string },
  wanted: string | undefined,
): Promise<GatewayAddress> {
  const response = await fetch(new URL("/v1/models", url), { headers: { authorization: `Bearer ${key}` } });
  if (response.status === 401 || response.status === 403) {
    throw new MidfoldError(
      "UNAUTHORIZED",
      `The gateway at ${url} wants a key. Make one with: midfold keys add <name>. Then set MIDFOLD_KEY.`,
    );
  }
  const { data = [] } = (await response.json()) as { readonly data?: readonly ListedModel[] };
  const real = data.find(({ id }) => !id.startsWith("midfold-demo"));
  const model = wanted ?? (real ?? data[0])?.id ?? "midfold-demo";
  const window = data.find(({ id }) => id === model)?.context_length;
  const isOnlyModel = data.length > 0 && real === undefined;
  return { url, key, model, isOnlyModel, window: typeof window === "number" ? window : 128_000 };
}

interface ListedModel {
  readonly id: string;
  readonly context_length?: unknown;
}

function launchOf(context: CommandContext, name: string, address: GatewayAddress, flags: WrapFlags): AgentLaunch {
  const agent = agents[name];
  const launch = (agent ?? anyProgram).launch(address);
  if (agent === undefined) {
    context.warn(
      `midfold: ${name} is not one of the agents known here (${Object.keys(agents).join(", ")}): it gets the variables of ${anyProgram.title}.\n`,
    );
  }
  if (flags.login !== true) return launch;
  if (name !== "claude") throw new MidfoldError("VALIDATION_ERROR", "--login works with claude only.");
  const { ANTHROPIC_AUTH_TOKEN: _, ...env } = launch.env;
  return { ...launch, env };
}

/** Runs the agent in this terminal. Resolves with its exit code. */
function run(context: CommandContext, command: string, launch: AgentLaunch, args: readonly string[]): Promise<number> {
  const env: Record<string, string | undefined> = { ...context.env, ...launch.env };
  for (const name of launch.unset) delete env[name];
  return new Promise((done, fail) => {
    const child: ChildProcess = spawn(command, [...launch.args, ...args], {
      cwd: context.cwd,
      env,
      stdio: "inherit",
      // On Windows npm's commands are .cmd files, which need a shell.
      shell: process.platform === "win32",
    });
    context.onSignal((signal) => {
      // The terminal already sends Ctrl-C to the agent; some agents take a second one for "quit".
      if (signal !== "SIGINT" || !context.isTerminal) child.kill(signal);
    });
    child.on("error", (cause: NodeJS.ErrnoException) => {
      const why = cause.code === "ENOENT" ? "it is not installed, or not in PATH" : cause.message;
      fail(new MidfoldError("VALIDATION_ERROR", `${command} could not be started: ${why}.`, { cause }));
    });
    child.on("exit", (code, signal) => done(code ?? (signal === null ? 1 : 128)));
  });
}
