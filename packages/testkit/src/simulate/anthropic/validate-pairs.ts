import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { invalid, type Problem } from "../problem.ts";

interface Turn {
  /** Position of the first message that was merged into this turn. */
  readonly index: number;
  readonly role: string;
  readonly blocks: JsonObject[];
}

/** Calls and results as the API wants them: answered in the very next user turn, results first, each exactly once. */
export function validatePairs(messages: readonly JsonObject[]): Problem | undefined {
  const turns = mergeTurns(messages);
  const used = new Set<string>();
  for (const [place, turn] of turns.entries()) {
    const problem =
      turn.role === "assistant" ? checkCalls(turn, turns[place + 1], used) : checkResults(turn, turns[place - 1]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The API joins neighbours of one role; system turns do not separate them. */
function mergeTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    const role = asText(message.role);
    if (role === "system") return;
    const blocks = asArray(message.content).filter(isObject);
    const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : blocks;
    const before = turns.at(-1);
    if (before?.role === role) before.blocks.push(...content);
    else turns.push({ index, role, blocks: [...content] });
  });
  return turns;
}

function checkCalls(turn: Turn, next: Turn | undefined, used: Set<string>): Problem | undefined {
  const ids: string[] = [];
  for (const [place, block] of turn.blocks.entries()) {
    if (block.type !== "tool_use") continue;
    const id = asText(block.id);
    if (used.has(id)) return invalid(`messages.${turn.index}.content.${place}: \`tool_use\` ids must be unique`);
    used.add(id);
    ids.push(id);
  }
  const answered = new Set<string>();
  for (const block of next?.blocks ?? []) {
    // Results stand at the head of the turn; whatever follows other content does not count as an answer.
    if (block.type !== "tool_result") break;
    answered.add(asText(block.tool_use_id));
  }
  const open = ids.filter((id) => !answered.has(id));
  if (open.length === 0) return undefined;
  return invalid(
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, previous: Turn | undefined): Problem | undefined {
  const calls = new Set(
    (previous?.blocks ?? []).flatMap((block) => (block.type === "tool_use" ? [asText(block.id)] : [])),
  );
  const seen = new Set<string>();
  for (const [place, block] of turn.blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const id = asText(block.tool_use_id);
    const at = `messages.${turn.index}.content.${place}`;
    if (!calls.has(id)) {
      return invalid(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      return invalid(
        `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
  return undefined;
}
