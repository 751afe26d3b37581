import { plan as planOnly } from "@midfold/core";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { countMessages } from "../input/count-messages.ts";
import { addFoldFlags, type FoldFlags, foldOptions } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";
import { describePlan } from "../output/describe-plan.ts";
import { warnTo } from "../output/warn-to.ts";

export function define(command: Command, context: CommandContext): void {
  addFoldFlags(command).action(async (file: string | undefined, flags: FoldFlags) => {
    const conversation = await readConversation(context, file, flags);
    const options = foldOptions(flags, conversation);
    const { counter } = await countMessages(context, conversation, options.model ?? "", flags.format);
    const plan = planOnly(conversation.messages, { ...options, counter, warn: warnTo(context) });
    context.write(flags.json === true ? `${JSON.stringify(plan)}\n` : describePlan(plan));
  });
}
