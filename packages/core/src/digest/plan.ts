import { answeredCalls } from "./answered-calls.ts";
import { oneLine } from "./lines.ts";
import type { Source } from "./sources.ts";

/** The newest list of steps with a status: tasks made one by one, a todo tool's arguments, or a check list in a text. */
export function findPlan(sources: readonly Source[], before = ""): string | undefined {
  const tasks = new Map<string, Step>();
  // `done: #1 Read it; #2 Write it. open: #3 Test it`
  const [, ...groups] = before.split(/(?:^|\. )(done|in progress|open): /);
  groups.forEach((list, at) => {
    for (const [text, id] of list.matchAll(/(#\w+) .+?(?=; |$)/g)) tasks.set(id!, { status: groups[at - 1]!, text });
  });
  let updated = false;
  for (const { call, result } of answeredCalls(sources)) {
    const [, id = "", text] =
      /^(?:Updated t|T)ask (#\w+) (?:created successfully: (.+))?/.exec(result?.text ?? "") ?? [];
    const known = text ? `${id} ${text}` : tasks.get(id)?.text;
    if (!known) continue;
    // A task that was set to a status we are not shown is not told as open.
    const before = text ? "open" : result?.text.includes("status") ? "unknown" : tasks.get(id)!.status;
    tasks.set(id, { status: /"status"\s*:\s*"(\w+)"/.exec(call.text)?.[1] ?? before, text: known });
    updated = true;
  }
  if (updated) return writeSteps([...tasks.values()]);
  for (const { kind, text, by } of sources.toReversed()) {
    let steps: Step[] = [];
    if (kind === "call" && text.includes('"status"')) steps = readSteps(text);
    else if (kind === "text" && by === "assistant" && text.includes("- [")) {
      for (const found of text.matchAll(/^\s*(?:[-*]|\d+\.) \[([ xX~-])\] (.{2,160})$/gm))
        steps.push({ status: found[1] === " " ? "open" : "done", text: found[2]! });
    }
    if (steps.length > Number(kind === "text")) return writeSteps(steps);
  }
  return before;
}

interface Step {
  readonly status: string;
  readonly text: string;
}

function readSteps(json: string): Step[] {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return [];
  }
  for (const list of [value, ...Object.values(value ?? {})]) {
    if (!Array.isArray(list)) continue;
    const steps = list.flatMap((entry: Readonly<Record<string, unknown>> | null): Step[] => {
      const words = Object.entries(entry ?? {}).find(
        ([key, text]) =>
          typeof text === "string" && /^(?:content|step|title|task|text|description|name|subject)$/.test(key),
      );
      return words && typeof entry?.status === "string" ? [{ status: entry.status, text: words[1] as string }] : [];
    });
    if (steps.length === list.length) return steps;
  }
  return [];
}

const statuses = {
  done: /^(?:done|complete|finished|closed)/i,
  "in progress": /progress|active|doing|running/i,
  open: /^(?:open|pending|todo|not)/i,
};

function writeSteps(steps: readonly Step[]): string {
  return Object.entries(statuses)
    .map(([name, pattern]) => {
      const list = steps.filter((step) => pattern.test(step.status)).map((step) => oneLine(step.text));
      return list.length > 0 ? `${name}: ${list.join("; ")}` : "";
    })
    .filter(Boolean)
    .join(". ");
}
