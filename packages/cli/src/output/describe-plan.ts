import type { Decision, Plan } from "@midfold/core";

/** A plan for people: the sum, the reasons, and one line per run of atoms with the same decision. */
export function describePlan(plan: Plan): string {
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
