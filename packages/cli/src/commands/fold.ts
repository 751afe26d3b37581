import { foldSync } from "@midfold/core";
import type { Command } from "commander";
import type { CommandContext } from "../context.ts";
import { countMessages } from "../input/count-messages.ts";
import { addFoldFlags, type FoldFlags, foldOptions } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";
import { warnTo } from "../output/warn-to.ts";

export function define(command: Command, context: CommandContext): void {
  addFoldFlags(command).action(async (file: string | undefined, flags: FoldFlags) => {
    const conversation = await readConversation(context, file, flags);
    const options = foldOptions(flags, conversation);
    const { counter } = await countMessages(context, conversation, options.model ?? "", flags.format);
    const result = foldSync(conversation.messages, { ...options, counter });
    const folded = conversation.withMessages(result.messages);
    if (flags.json === true) {
      // The result together with its figures, for scripts that need both.
      const { outcome, tokens, plan, warnings } = result;
      context.write(`${JSON.stringify({ outcome, tokens, rungs: plan.rungs, warnings, result: folded })}\n`);
      return;
    }
    context.write(`${JSON.stringify(folded, undefined, 2)}\n`);
    const { before, after, budget, window } = result.tokens;
    context.warn(
      `${result.outcome}: ${before} → ${after} tokens (budget ${budget}, window ${window}), ` +
        `${conversation.messages.length} → ${result.messages.length} messages` +
        `${result.plan.rungs.length === 0 ? "" : `, by ${result.plan.rungs.join(", ")}`}\n`,
    );
    result.warnings.forEach(warnTo(context));
  });
}
