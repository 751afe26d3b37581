import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import type { CliContext, CommandContext } from "./context.ts";

interface CommandModule {
  /** Adds arguments, options and the action. */
  define(command: Command, context: CommandContext): void;
}

interface CommandEntry {
  readonly about: string;
  readonly load: () => Promise<CommandModule>;
}

/**
 * Every command. Only the module of the command that was called is loaded, since a status bar calls `statusline`
 * several times a minute.
 */
const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    about: "start the gateway, the chat app and the console; this is what happens without a command",
    load: () => import("./commands/serve.ts"),
  },
  wrap: {
    about: "run a coding agent through the gateway: midfold wrap claude -- -p hello",
    load: () => import("./commands/wrap.ts"),
  },
  init: {
    about: "ask for provider, address and key, test them, write midfold.yaml",
    load: () => import("./commands/init.ts"),
  },
  doctor: {
    about: "check configuration, database and upstreams, and say what to do about what is wrong; changes nothing",
    load: () => import("./commands/doctor.ts"),
  },
  config: {
    about: "show the configuration that is in force, and where each setting comes from",
    load: () => import("./commands/config.ts"),
  },
  models: {
    about: "list models with their windows and prices, and where requests for them go",
    load: () => import("./commands/models.ts"),
  },
  learned: {
    about: "list the windows a running gateway found out from its upstreams, with the evidence, and forget them",
    load: () => import("./commands/learned.ts"),
  },
  sessions: {
    about: "list conversations on this machine: Claude Code, Codex, and the chats in the database",
    load: () => import("./commands/sessions.ts"),
  },
  count: { about: "count the tokens of a conversation", load: () => import("./commands/count.ts") },
  inspect: {
    about: "show where a conversation's tokens are: by role, and the largest messages",
    load: () => import("./commands/inspect.ts"),
  },
  plan: { about: "show what a fold would do, and why, without doing it", load: () => import("./commands/plan.ts") },
  fold: {
    about: "make a conversation fit; the result goes to standard output, what was done to standard error",
    load: () => import("./commands/fold.ts"),
  },
  replay: {
    about: "work out, without sending anything, what each preset would send turn by turn: size, folds and cost",
    load: () => import("./commands/replay.ts"),
  },
  statusline: {
    about:
      "one line for a status bar: how full the context is and what folding saved; Claude Code pipes its session in",
    load: () => import("./commands/statusline.ts"),
  },
  keys: {
    about: "make, list and revoke the keys clients use with this gateway",
    load: () => import("./commands/keys.ts"),
  },
  backup: {
    about: "write a consistent copy of the database while the server runs",
    load: () => import("./commands/backup.ts"),
  },
  restore: { about: "make a new database from a backup", load: () => import("./commands/restore.ts") },
  completion: {
    about: "print what makes bash, zsh or fish complete midfold's commands and options",
    load: () => import("./commands/completion.ts"),
  },
};

/** Runs one command line and resolves with the exit code: 0 success, 1 failure, 2 the command was not understood. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  let exitCode = 0;
  const commandContext: CommandContext = {
    ...context,
    version: manifest.version,
    setExit: (code) => {
      exitCode = code;
    },
    wholeProgram: () => createProgram(commandContext, "all"),
  };
  const line = withDefault(args);
  try {
    await (await createProgram(commandContext, line[0])).parseAsync(["node", "midfold", ...line]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    context.warn(`midfold: ${await explain(error, context)}\n`);
    return 1;
  }
}

/** The parser with every command's name; the options of the wanted command, or of all, are loaded. */
async function createProgram(context: CommandContext, wanted: string | "all" | undefined): Promise<Command> {
  const program = new Command("midfold")
    .description("Keeps long LLM conversations inside the model's context window")
    .version(context.version)
    .helpCommand(false)
    .enablePositionalOptions()
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.write(text), writeErr: (text) => context.warn(text) });
  for (const [name, { about, load }] of Object.entries(commands)) {
    const command = program.command(name).description(about);
    if (wanted === "all" || wanted === name) (await load()).define(command, context);
  }
  return program;
}

/** `midfold`, `midfold --port 0` and `midfold help fold` mean `serve`, `serve --port 0` and `fold --help`. */
function withDefault(args: readonly string[]): readonly string[] {
  const [first] = args;
  if (first === "help") return args[1] === undefined ? ["--help"] : [args[1], "--help"];
  if (first !== undefined && (!first.startsWith("-") || /^(-h|--help|-V|--version)$/.test(first))) return args;
  return ["serve", ...args];
}

/** The error for a person. A stack is only shown for a defect of Midfold itself, and only when asked for. */
async function explain(error: unknown, { env }: CliContext): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  const { isMidfoldError } = await import("@midfold/core");
  if (env.MIDFOLD_DEBUG !== undefined && error.stack !== undefined) return error.stack;
  if (isMidfoldError(error) || "code" in error) return error.message;
  return `Something unexpected happened: ${error.message} (MIDFOLD_DEBUG=1 shows where)`;
}
