import { planOnly } from "@midfold/core";
import type { Command } from "commander";
import type { CliContext } from "../context.ts";
import { addFoldFlags, type FoldFlags, foldOptions } from "../input/fold-flags.ts";
import { readConversation } from "../input/read-conversation.ts";
import { describePlan } from "../output/describe-plan.ts";
import { warnTo } from "../output/warn-to.ts";

export function addPlan(program: Command, context: CliContext): void {
  addFoldFlags(program.command("plan"))
    .description("show what a fold would do, and why, without doing it")
    .option("--json", "print the plan as JSON")
    .action(async (file: string | undefined, flags: FoldFlags & { readonly json?: boolean }) => {
      const conversation = await readConversation(context, file);
      const plan = planOnly(conversation.messages, {
        ...foldOptions(flags, conversation),
        warn: warnTo(context),
      });
      context.write(flags.json === true ? `${JSON.stringify(plan)}\n` : describePlan(plan));
    });
}
