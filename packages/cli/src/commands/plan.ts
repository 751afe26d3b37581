import type { Decision, Plan } from "@midfold/core";
import { plan as planOnly } from "@midfold/core";
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
    const plan = planOnly(conversation.messages, { ...options, counter, warn: warnTo(context) });
    context.write(flags.json === true ? `${JSON.stringify(plan)}\n` : describePlan(plan));
  });
}

/** A plan for people: the sum, the reasons, and one line per run of atoms with the same decision. */
function describePlan(plan: Plan): string {
  const { before, after, budget, target } = plan.tokens;
  const lines = [`${before} tokens now, budget ${budget}, aim ${target}`];
  if (plan.reasons.length === 0) lines.push("Nothing has to be done.");
  else {
    lines.push(`about ${after} after:`);
    for (const reason of plan.reasons) {
      lines.push(`  ${reason.rung}: ${reason.rule} (${reason.atoms} atoms, ${reason.freed} tokens freed)`);
    }
  }
  let start = 0;
  for (let index = 1; index <= plan.atoms.length; index++) {
    if (index < plan.atoms.length && fate(plan.decisions[index]) === fate(plan.decisions[start])) continue;
    const first = plan.atoms[start];
    const last = plan.atoms[index - 1];
    const tokens = plan.atoms.slice(start, index).reduce((sum, atom) => sum + atom.tokens, 0);
    lines.push(`  messages ${first?.first}–${last?.last}  ${fate(plan.decisions[start]).padEnd(10)} ${tokens} tokens`);
    start = index;
  }
  return `${lines.join("\n")}\n`;
}

function fate(decision: Decision | undefined): string {
  if (decision === undefined) return "keep";
  return decision.do === "fold" ? `fold ${decision.span + 1}` : decision.do;
}
