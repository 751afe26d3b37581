import { type FoldSyncOptions, type FormatName, formats, MidfoldError, type PresetName, presets } from "@midfold/core";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { ReadConversation } from "./read-conversation.ts";

export interface FoldFlags {
  readonly model?: string;
  readonly window?: number;
  readonly budget?: number;
  readonly maxOutput?: number;
  readonly preset?: string;
  readonly format?: string;
  readonly force?: boolean;
}

export const conversationArgument =
  "messages, a request body, a session of Claude Code or Codex, a chat export or Markdown; - or nothing reads standard input";

/** The options that `fold`, `plan` and `inspect` share. */
export function addFoldFlags(command: Command): Command {
  return command
    .argument("[file]", conversationArgument)
    .option("-m, --model <name>", "the model the conversation is for: decides window and counting")
    .option("-w, --window <tokens>", "the model's window, when you know better", wholeNumber)
    .option("-b, --budget <tokens>", "what the input may weigh, instead of one computed from the window", wholeNumber)
    .option("--max-output <tokens>", "tokens to keep free for the answer", wholeNumber)
    .addOption(new Option("-p, --preset <name>", "how to fold").choices(Object.keys(presets)).default("agent"))
    .addOption(new Option("--format <name>", "the messages' format").choices(Object.keys(formats)))
    .option("--force", "fold although everything fits");
}

export function foldOptions(flags: FoldFlags, conversation: ReadConversation): FoldSyncOptions {
  const model = flags.model ?? conversation.model;
  const format = (flags.format as FormatName | undefined) ?? conversation.format;
  return {
    ...(model === undefined ? {} : { model }),
    ...(flags.window === undefined ? {} : { window: flags.window }),
    ...(flags.budget === undefined ? {} : { budget: flags.budget }),
    ...(flags.maxOutput === undefined ? {} : { maxOutputTokens: flags.maxOutput }),
    ...(format === undefined ? {} : { format }),
    ...(flags.force === undefined ? {} : { force: flags.force }),
    preset: presetName(flags.preset ?? "agent"),
    system: conversation.system,
    tools: conversation.tools,
    toolChoice: conversation.toolChoice,
  };
}

function presetName(name: string): PresetName {
  if (Object.hasOwn(presets, name)) return name as PresetName;
  throw new MidfoldError("VALIDATION_ERROR", `There is no preset "${name}".`);
}

function wholeNumber(text: string): number {
  const value = Number(text.replace(/k$/i, "000"));
  if (!Number.isSafeInteger(value) || value <= 0) throw new InvalidArgumentError("It must be a positive whole number.");
  return value;
}
