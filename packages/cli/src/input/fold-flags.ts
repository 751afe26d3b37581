import {
  type FoldSyncOptions,
  type FormatName,
  formats,
  type ModelInfo,
  type PresetName,
  presets,
  resolveModel,
} from "@midfold/core";
import { type Command, Option } from "commander";
import type { CliContext } from "../context.ts";
import { warnTo } from "../output/warn-to.ts";
import { tokenCount } from "./numbers.ts";
import type { ReadConversation } from "./read-conversation.ts";

/**
 * The model whose tokens are counted when neither the command line nor the file names one; the same in every command.
 */
export const defaultModel = "gpt-4o";

export interface ConversationFlags {
  readonly model?: string;
  readonly window?: number;
  readonly format?: string;
  readonly chat?: string;
  readonly json?: boolean;
}

export interface BudgetFlags extends ConversationFlags {
  readonly budget?: number;
  readonly maxOutput?: number;
}

export interface FoldFlags extends BudgetFlags {
  readonly preset: string;
  readonly force?: boolean;
}

/** The options of every command that reads a conversation. */
export function addConversationFlags(command: Command): Command {
  return command
    .argument(
      "[file]",
      "messages, a request body, a session of Claude Code or Codex, a chat export or Markdown; - or nothing reads standard input",
    )
    .option(
      "-m, --model <name>",
      `the model, which decides window and counting; ${defaultModel} if neither this nor the file names one`,
    )
    .option("-w, --window <tokens>", "the model's window, instead of the one known for it", tokenCount)
    .addOption(new Option("--format <name>", "the messages' format").choices(Object.keys(formats)))
    .option("--chat <which>", "which chat of an export: its number or a part of its title")
    .option("--json", "print the result as JSON");
}

/** The additional options of commands that fold. */
export function addBudgetFlags(command: Command): Command {
  return addConversationFlags(command)
    .option(
      "-b, --budget <tokens>",
      "most tokens of the input, instead of a number computed from the window",
      tokenCount,
    )
    .option("--max-output <tokens>", "tokens to keep free for the answer", tokenCount);
}

/** The options of `fold` and `plan`. */
export function addFoldFlags(command: Command): Command {
  return addBudgetFlags(command)
    .addOption(new Option("-p, --preset <name>", "how to fold").choices(Object.keys(presets)).default("agent"))
    .option("--force", "fold even if everything fits");
}

/** The model of a conversation and its facts; a window given as an option overrides the table's. */
export function modelOf(
  context: CliContext,
  flags: ConversationFlags,
  conversation: ReadConversation,
): { readonly name: string; readonly info: ModelInfo } {
  const name = flags.model ?? conversation.model ?? defaultModel;
  const { window } = flags;
  if (window !== undefined) return { name, info: resolveModel(name, { overrides: { [name]: { window } } }) };
  return { name, info: resolveModel(name, { warn: warnTo(context) }) };
}

export function foldOptions(flags: FoldFlags, conversation: ReadConversation): FoldSyncOptions {
  const format = (flags.format as FormatName | undefined) ?? conversation.format;
  return {
    model: flags.model ?? conversation.model ?? defaultModel,
    ...(flags.window === undefined ? {} : { window: flags.window }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.maxOutput === undefined ? {} : { maxOutputTokens: flags.maxOutput }),
    ...(format === undefined ? {} : { format }),
    ...(flags.force === undefined ? {} : { force: flags.force }),
    preset: flags.preset as PresetName,
    system: conversation.system,
    tools: conversation.tools,
    toolChoice: conversation.toolChoice,
  };
}
