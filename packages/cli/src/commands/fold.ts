import { foldSync } from "@midfold/core";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addFoldFlags, type FoldFlags, foldOptions } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";
import { warnTo } from "../output/warn-to.ts";

export function addFold(program: Command, context: CliContext): void {
  addFoldFlags(program.command("fold"))
    .description("make a conversation fit; the result goes to standard output, what was done to standard error")
    .action(async (file: string | undefined, flags: FoldFlags) => {
      const conversation = await readConversation(context, file);
      const result = foldSync(conversation.messages, foldOptions(flags, conversation));
      context.write(`${JSON.stringify(conversation.withMessages(result.messages), undefined, 2)}\n`);
      const { before, after, budget, window } = result.tokens;
      context.warn(
        `${result.outcome}: ${before} → ${after} tokens (budget ${budget}, window ${window}), ` +
          `${conversation.messages.length} → ${result.messages.length} messages` +
          `${result.plan.rungs.length === 0 ? "" : `, by ${result.plan.rungs.join(", ")}`}\n`,
      );
      result.warnings.forEach(warnTo(context));
    });
}
