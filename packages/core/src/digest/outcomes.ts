import { answeredCalls } from "./answered-calls.ts";
import { changes, onlyShows, pathOfCall } from "./files.ts";
import { oneLine } from "./lines.ts";
import { isRequest } from "./requests.ts";
import { withId } from "./rules.ts";
import { commandOf } from "./shell.ts";
import { endOfPath, type Source } from "./sources.ts";

/**
 * Calls that failed, with the line that says why. No longer news are those that worked when made again, and, once the user
 * has spoken since, those whose tool worked later: the assistant has said how it went. `onMended` is told of those that
 * worked after a file was changed.
 */
export function findFailures(
  sources: readonly Source[],
  onMended?: (failure: string, file: string, result: Source) => void,
): string[] {
  const failures = new Map<string, { readonly text: string; readonly why: string; readonly result: Source }>();
  const since = sources.findLast(isRequest)?.message ?? -1;
  const worked = new Set<string | undefined>();
  let changed: string | undefined;
  for (const { call, result } of answeredCalls(sources)) {
    if (result === undefined) continue;
    const command = commandOf(call).replace(inFolder, "");
    const path = /^\w+$/.test(command) ? pathOfCall(call.text) : undefined;
    // "str_replace" alone does not say in which file.
    const told = path === undefined ? command : `${command} ${endOfPath(path) ?? path}`;
    const what = oneLine(told || `${result.name ?? "tool"} ${call.text}`).slice(0, 100);
    let why =
      result.text.length < 200 && onlyCode.test(result.text) && searches.test(command)
        ? undefined
        : failureLine(result);
    // "Command exited with code 2" does not say why: the first line that names an error does.
    if (why && /^\w+ exit/.test(why)) why = /^.*\berror\b.{0,9}:.*/im.exec(result.text)?.[0].slice(0, 160) ?? why;
    const before = failures.get(what);
    failures.delete(what);
    if (why !== undefined) {
      failures.set(what, { text: withId({ text: `${what}: ${why}`, id: result.id }), why, result });
      worked.delete(result.name);
      changed = undefined;
    } else {
      worked.add(result.name);
      if (before !== undefined && changed !== undefined && !onlyCode.test(before.why))
        onMended?.(before.text, changed, result);
      // Only now: an edit that works at last was not mended by itself.
      if (changes.test(call.name ?? "") && !onlyShows.test(call.text)) changed = pathOfCall(call.text) ?? changed;
    }
  }
  return [...failures.values()]
    .filter(({ result }) => result.message > since || !worked.has(result.name))
    .map(({ text }) => text);
}

/** Commands that end with code 1 where they find nothing, or a difference. */
const searches = /(?:^|[|;&]\s*)(?:[ef]?grep|rg|ag|pgrep|diff|cmp|test|which)\b[^|;&]*$/;
const onlyCode =
  /^\W*(?:no output)?\W*(?:command |process )?exit(?:ed)?(?: with)? (?:code|status):? *1\W*(?:no output)?\W*$/i;

/** The folder is left out: `cd /repo && make` is `make`. */
const inFolder = /^cd [^;&|]+ && /;
/** Commands that only look around, or did something once: whoever goes on need not know that they work. */
const looksAround =
  /^(?:cd|ls|cat|head|tail|echo|e?grep|rg|find|which|wc|sed|tree|mv|rm|cp|mkdir|touch|sleep|git|open|edit|create|view|goto|submit|(?:scroll|search|find)_\w+)\b/;
/** What only shows less of what a command prints. The shell then says of that whether it failed. */
const shortened = /(?: 2>&1)?(?: \| (?:head|tail)\b[^|]*)?$/;

/** Commands that ran without a failure and do something: how this project is built, tested and run. */
export function findCommands(sources: readonly Source[]): string[] {
  const commands = new Set<string>();
  for (const { call, result } of answeredCalls(sources)) {
    const whole = commandOf(call).replace(inFolder, "").trim();
    const command = whole.replace(shortened, "");
    if (result === undefined || command === "" || command.length > 120 || /[;|\n]/.test(command)) continue;
    if (looksAround.test(command)) continue;
    // An operation of an editor, not something to run.
    if (/^\w+$/.test(command) && pathOfCall(call.text) !== undefined) continue;
    commands.delete(command);
    const hidden = whole.includes("|") && /\berror\b|FAIL/.test(result.text);
    if (!hidden && failureLine(result) === undefined) commands.add(command);
  }
  return [...commands];
}

const failureStart =
  /^(?:[\w.]*(?:Error|Exception)|error|ERROR|fatal|panic|Traceback|FAIL(?:ED)?)\b.*|^.*\bexit(?:ed)?(?: with)? (?:code|status):? *[1-9]\d*.*|^.*(?:command not found|No such file or directory|Permission denied).*/m;

/** The line that says that a result is a failure, by its flag or by words programs end with; files that mention errors are none. */
export function failureLine({ text, isError }: Pick<Source, "text" | "isError">): string | undefined {
  if (isError) return oneLine(text.slice(0, 400)).slice(0, 160) || undefined;
  if (/^\s*\d+[→\t]/.test(text)) return undefined;
  // A line that begins in its middle may begin with "Error".
  const ends = text.length <= 1200 ? text : `${text.slice(0, 400)}\n${text.slice(-800).replace(/^.*/, "")}`;
  const found = failureStart.exec(ends);
  if (found === null) return undefined;
  // "ERROR:" and "Traceback (most recent call last):" stand above what happened.
  const [line] = found;
  const below = ends.slice(found.index + line.length);
  const more = line.startsWith("Traceback") ? /^[\w.]*(?:Error|Exception)\b.*/m.exec(below) : /^\s*\S.*/.exec(below);
  const whole = more && (line.startsWith("Traceback") || !/\w{2}\W+\w{2}/.test(line)) ? `${line} ${more[0]}` : line;
  return oneLine(whole).slice(0, 160);
}
