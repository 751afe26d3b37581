import { isMidfoldError } from "@midfold/core";
import { Command, CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { addBackup } from "./commands/backup.ts";
import { addCount } from "./commands/count.ts";
import { addDoctor } from "./commands/doctor.ts";
import { addFold } from "./commands/fold.ts";
import { addInspect } from "./commands/inspect.ts";
import { addKeys } from "./commands/keys.ts";
import { addPlan } from "./commands/plan.ts";
import { addServe } from "./commands/serve.ts";
import { addStatusline } from "./commands/statusline.ts";
import type { CliContext } from "./context.ts";

/** Runs one command line and resolves with the exit code: 0 fine, 1 it did not work, 2 the command was not understood. */
export async function runCli(args: readonly string[], context: CliContext): Promise<number> {
  const program = new Command("midfold")
    .description("Keeps long LLM conversations inside the model's context window")
    .version(manifest.version)
    .showHelpAfterError()
    .exitOverride()
    .configureOutput({ writeOut: (text) => context.write(text), writeErr: (text) => context.warn(text) });
  let exitCode = 0;
  const setExit = (code: number) => {
    exitCode = code;
  };
  addServe(program, context, manifest.version, setExit);
  addFold(program, context);
  addCount(program, context);
  addPlan(program, context);
  addInspect(program, context);
  addStatusline(program, context);
  addDoctor(program, context, setExit);
  addKeys(program, context);
  addBackup(program, context);
  const [first] = args;
  if (
    first !== undefined &&
    /^\w/.test(first) &&
    !["help", ...program.commands.map((each) => each.name())].includes(first)
  ) {
    // `serve` is what happens without a command, so the parser would take the word for an argument of it.
    context.warn(`midfold: There is no command "${first}". ${names(program)}\n`);
    return 2;
  }
  try {
    await program.parseAsync(["node", "midfold", ...args]);
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!isMidfoldError(error)) throw error;
    context.warn(`midfold: ${error.message}\n`);
    return 1;
  }
}

function names(program: Command): string {
  return `Commands: ${program.commands.map((command) => command.name()).join(", ")}.`;
}
