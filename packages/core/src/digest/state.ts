import { splitSentences } from "../text/split-sentences.ts";
import { findFiles, readFiles, writeFiles } from "./files.ts";
import { findLeftOpen } from "./left-open.ts";
import { gap, oneLine } from "./lines.ts";
import { findCommands, findFailures } from "./outcomes.ts";
import { findPlan } from "./plan.ts";
import { findRequests, isRequest, longestRequest, openingTask } from "./requests.ts";
import { withId } from "./rules.ts";
import type { Source } from "./sources.ts";
import { announces } from "./story.ts";

/** One line of the state of the work, most important first. */
export interface StateLine {
  readonly kind: (typeof stateKinds)[number];
  readonly text: string;
}

/** What a colleague who takes over asks first, in that order. */
export const stateKinds = [
  "task",
  "newest request in these notes",
  "last said by the assistant",
  "plan",
  "left open",
  "files changed",
  "files removed or renamed",
  "commands that worked",
  "files read",
  "failed",
] as const;

const mostCommands = 5;
const mostFailures = 4;
/** So many of the assistant's texts are looked through for one that tells something. */
const mostLastWords = 6;

/** Task, plan, files and failures, read off the messages and off the state that earlier digests carry. */
export function findState(sources: readonly Source[], carried: readonly string[]): StateLine[] {
  const earlier = new Map<string, string>();
  for (const line of carried) {
    const end = line.indexOf(": ");
    earlier.set(line.slice(0, end), line.slice(end + 2));
  }
  const requests = findRequests(sources);
  const tells = ({ line }: (typeof requests)[number]) => line() !== "";
  // Notes written before November 2026 call the task "first request".
  const first =
    earlier.get("task") ?? earlier.get("first request") ?? openingTask(sources) ?? requests.find(tells)?.line();
  const last = requests.findLast(tells);
  const newest = last?.line() ?? earlier.get("newest request in these notes");
  const filesOf = (kind: StateLine["kind"]) => readFiles(earlier.get(kind));
  const files = findFiles(sources, {
    changed: filesOf("files changed"),
    removed: filesOf("files removed or renamed"),
    read: filesOf("files read"),
  });
  const worked = [...splitList(earlier.get("commands that worked")), ...findCommands(sources)];
  const failedBefore = sources.some(isRequest) ? [] : splitList(earlier.get("failed"));
  const found: Readonly<Record<StateLine["kind"], string | undefined>> = {
    task: first,
    "newest request in these notes": newest === first ? undefined : newest,
    plan: findPlan(sources, earlier.get("plan")),
    "left open": findLeftOpen(sources) ?? earlier.get("left open"),
    "files changed": writeFiles(files.changed),
    "files removed or renamed": writeFiles(files.removed),
    // What was said before the newest request is no next step.
    "last said by the assistant":
      findLastWords(sources, last?.message) ?? (last ? undefined : earlier.get("last said by the assistant")),
    "commands that worked": [...new Set(worked)].slice(-mostCommands).join("; "),
    "files read": writeFiles(files.read),
    failed: [...failedBefore, ...findFailures(sources)].slice(-mostFailures).join("; "),
  };
  return stateKinds.flatMap((kind) => (found[kind] ? [{ kind, text: found[kind] }] : []));
}

function splitList(text: string | undefined): string[] {
  return text ? text.split("; ") : [];
}

/**
 * How the assistant's newest text ends: what it found, does next or waits for. Where that is only what it does next, the
 * newest sentence that tells something stands before it.
 */
function findLastWords(sources: readonly Source[], since = -1): string | undefined {
  const texts = sources.filter(
    ({ kind, by, text, message }) =>
      kind === "text" && by === "assistant" && message > since && text.trim().length >= 20,
  );
  const id = texts.at(-1)?.id;
  let words = "";
  let tells = false;
  for (const last of texts.slice(-mostLastWords).toReversed()) {
    const between = words && gap;
    for (const { text } of tells ? [] : splitSentences(last.text.slice(-2000)).toReversed()) {
      const more = oneLine(text);
      const news = !announces.test(more);
      // A row of a table says nothing without the others, and "] }" nothing at all.
      // A question of before has been answered since.
      if (/^\||^[^\p{L}]*$/u.test(more) || (between && (tells || !news || !/\p{L}[.!。！]\W*$/u.test(more)))) continue;
      if (words.length + more.length > longestRequest) break;
      words = words === "" ? more : `${more}${between || " "}${words}`;
      tells ||= news;
    }
  }
  return words === "" ? undefined : withId({ text: words, id });
}
