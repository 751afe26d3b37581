import { answeredCalls } from "./answered-calls.ts";
import { changes, pathOfCall } from "./files.ts";
import { oneLine } from "./lines.ts";
import { isRequest } from "./requests.ts";
import { withId } from "./rules.ts";
import type { Source } from "./sources.ts";

/**
 * Calls that failed, with the line that says why. No longer news are those that worked when made again, and, once the user
 * has spoken since, those whose tool worked later: the assistant has said how it went. `onMended` is told of those that
 * worked after a file was changed.
 */
export function findFailures(
  sources: readonly Source[],
  onMended?: (failure: string, file: string, result: Source) => void,
): string[] {
  const failures = new Map<string, { readonly text: string; readonly result: Source }>();
  const since = sources.findLast(isRequest)?.message ?? -1;
  const worked = new Set<string | undefined>();
  let changed: string | undefined;
  for (const { call, result } of answeredCalls(sources)) {
    if (result === undefined) continue;
    if (changes.test(call.name ?? "")) changed = pathOfCall(call.text) ?? changed;
    const what = `${result.name ?? "tool"} ${oneLine(call.text).slice(0, 80)}`;
    const why = failureLine(result);
    const before = failures.get(what);
    failures.delete(what);
    if (why !== undefined) {
      failures.set(what, { text: withId({ text: `${what}: ${why}`, id: result.id }), result });
      worked.delete(result.name);
      changed = undefined;
    } else {
      worked.add(result.name);
      if (before !== undefined && changed !== undefined) onMended?.(before.text, changed, result);
    }
  }
  return [...failures.values()]
    .filter(({ result }) => result.message > since || !worked.has(result.name))
    .map(({ text }) => text);
}

/** Commands that only look around: whoever goes on need not know that they work. */
const looksAround =
  /^(?:cd|ls|cat|head|tail|echo|grep|rg|find|which|wc|sed -n|tree|git (?:status|diff|log|show|branch))\b/;

/** Commands that ran without a failure and do something: how this project is built, tested and run. */
export function findCommands(sources: readonly Source[]): string[] {
  const commands = new Set<string>();
  for (const { call, result } of answeredCalls(sources)) {
    if (result === undefined) continue;
    const found = /"(?:command|cmd|script)"\s*:\s*"((?:[^"\\]|\\.){2,120})"/.exec(call.text.slice(0, 400))?.[1];
    // A line break or a quotation in it is written as JSON writes it: such a command could not be run as it stands.
    const command = found === undefined || found.includes("\\") ? "" : found.replace(/^cd [^;&|]+ && /, "").trim();
    if (command === "" || command.includes(";") || looksAround.test(command)) continue;
    // An operation of an editor, not something to run.
    if (/^\w+$/.test(command) && /"(?:path|file_path)"\s*:/.test(call.text)) continue;
    commands.delete(command);
    if (failureLine(result) === undefined) commands.add(command);
  }
  return [...commands];
}

const failureStart =
  /^(?:[\w.]*(?:Error|Exception)|error|ERROR|fatal|panic|Traceback|FAIL(?:ED)?)\b.*|^.*\bexit(?:ed)?(?: with)? (?:code|status):? *[1-9]\d*.*|^.*(?:command not found|No such file or directory|Permission denied).*/m;

/** The line that says that a result is a failure, by its flag or by words programs end with; files that mention errors are none. */
export function failureLine({ text, isError }: Pick<Source, "text" | "isError">): string | undefined {
  if (isError) return oneLine(text.slice(0, 400)).slice(0, 160) || undefined;
  if (/^\s*\d+[→\t]/.test(text)) return undefined;
  const ends = text.length <= 1200 ? text : `${text.slice(0, 400)}\n${text.slice(-800)}`;
  const found = failureStart.exec(ends);
  return found === null ? undefined : oneLine(found[0]).slice(0, 160);
}
