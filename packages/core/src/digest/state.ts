import { splitSentences } from "../text/split-sentences.ts";
import { stopWords } from "../text/stop-words.ts";
import { termsOf } from "../text/terms-of.ts";
import { gap, joinKept, oneLine } from "./lines.ts";
import { isOwn, listMark, withId, withoutDiffs } from "./rules.ts";
import { scanFacts } from "./scan-facts.ts";
import type { Source } from "./sources.ts";

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
  "files changed",
  "commands that worked",
  "files read",
  "failed",
] as const;

const longestRequest = 240;
const longestAnswer = 120;
const mostFiles = 60;
const mostFailures = 4;
const mostCommands = 5;

/** Task, plan, files and failures, read off the messages and off the state that earlier digests carry. */
export function findState(sources: readonly Source[], carried: readonly string[]): StateLine[] {
  const earlier = new Map<string, string>();
  for (const line of carried) {
    const end = line.indexOf(": ");
    earlier.set(line.slice(0, end), line.slice(end + 2));
  }
  const requests = findRequests(sources);
  // Notes written before November 2026 call the task "first request".
  const first = earlier.get("task") ?? earlier.get("first request") ?? requests[0]?.line;
  const last = requests.at(-1);
  const newest = last?.line ?? earlier.get("newest request in these notes");
  const files = findFiles(sources, readFiles(earlier.get("files changed")), readFiles(earlier.get("files read")));
  const worked = [...splitList(earlier.get("commands that worked"), "; "), ...findCommands(sources)];
  const failedBefore = sources.some(isRequest) ? [] : splitList(earlier.get("failed"), "; ");
  const found: Readonly<Record<StateLine["kind"], string | undefined>> = {
    task: first,
    "newest request in these notes": newest === first ? undefined : newest,
    plan: findPlan(sources, earlier.get("plan")),
    "files changed": writeFiles(files.changed),
    // What was said before the newest request is no next step.
    "last said by the assistant":
      findLastWords(sources, last?.message) ?? (last ? undefined : earlier.get("last said by the assistant")),
    "commands that worked": [...new Set(worked)].slice(-mostCommands).join("; "),
    "files read": writeFiles(files.read),
    failed: [...failedBefore, ...findFailures(sources)].slice(-mostFailures).join("; "),
  };
  return stateKinds.flatMap((kind) => (found[kind] ? [{ kind, text: found[kind] }] : []));
}

/** Whether the user says something in it. */
export function isRequest({ kind, by, carried }: Source): boolean {
  return kind === "text" && by === "user" && !carried;
}

function splitList(text: string | undefined, by = ", "): string[] {
  return text === undefined || text === "" ? [] : text.split(by);
}

/** What a message of the user asks for. */
interface Request {
  readonly message: number;
  readonly line: string;
  /** Whether the line is a question of the assistant with the answer to it. */
  readonly answers: boolean;
}

/** What each message of the user asks for; greetings and interruptions ask for nothing. */
export function findRequests(sources: readonly Source[]): Request[] {
  const requests = new Map<number, Pick<Source, "text" | "id"> & { readonly question: string | undefined }>();
  let said = "";
  for (const source of sources) {
    const { kind, message, text, id } = source;
    if (!isRequest(source)) {
      if (kind === "text" && !source.carried) said = text;
    } else if (text.length > longestAnswer || isOwn(oneLine(text))) {
      const last = splitSentences(said.slice(-800)).slice(-3);
      const question = last.findLast((one) => /[?？]\W*$/.test(one.text))?.text;
      // A message with pasted blocks in it is still one request.
      const before = requests.get(message) ?? { text: "", question };
      requests.set(message, { ...before, text: `${before.text}${text}\n`, id });
      said = "";
    }
  }
  return [...requests].flatMap(([message, { text, id, question }]) => {
    const answers = question !== undefined && text.length <= longestAnswer && !/[?？]\s*$/.test(text);
    const line = answers ? `${oneLine(question)} – ${oneLine(text)}` : shortRequest(text, longestRequest);
    return line === "" ? [] : [{ message, line: withId({ text: line, id }), answers }];
  });
}

/** Words by which people ask for something. */
const asking =
  /[?？]$|(?<!\p{L})(?:please|let['’]?s|your task|(?:can|could|would) you|(?:i|we)(?:['’]d| \w+)? (?:want|need|like)|bitte|por favor)(?!\p{L})|[请請]/iu;

/**
 * What a text asks for in at most `most` characters: all of it where that fits, else the sentences that ask, that open it or
 * are its title, those that tell most first. Where none of them fits, the best is cut.
 */
export function shortRequest(text: string, most: number): string {
  // "warm... right now" is one sentence.
  const own = splitSentences(withoutDiffs(text.replaceAll(gap, "\n").replaceAll("...", "…")))
    .map((sentence) => oneLine(sentence.text))
    // Greetings, and titles of a word or two, ask for nothing.
    .filter((line) => line.length > 11 && isOwn(line.replace(/^#+ (?:\S+(?: \S+)?$)?/, "")));
  let left = most;
  const whole = own.join(" ").length <= most;
  const worth = own.map((line, at) => {
    const asks = asking.test(line) && !listMark.test(line);
    const words = termsOf(line).filter((term) => !stopWords.has(term)).length;
    return whole ? 4 : Math.min(4, words) * (asks ? 1.1 : at === 0 || line.startsWith("# ") ? 1 : 0);
  });
  const ranked = own.map((_, at) => at).sort((a, b) => worth[b]! - worth[a]!);
  const kept = ranked.filter((at) => {
    const fits = worth[at]! >= 3 && own[at]!.length <= left;
    if (fits) left -= own[at]!.length + 1;
    return fits;
  });
  const best = own[ranked[0]!];
  if (best !== undefined && kept.length === 0) return `${best.slice(0, most).replace(/\s\S*$|[\ud800-\udbff]$/, "")} …`;
  return joinKept(own, (_, at) => kept.includes(at));
}

/** How the assistant's newest text ends: what it found, does next or waits for. */
function findLastWords(sources: readonly Source[], since = -1): string | undefined {
  const last = sources.findLast(
    ({ kind, by, text, message }) =>
      kind === "text" && by === "assistant" && message > since && text.trim().length >= 20,
  );
  if (last === undefined) return undefined;
  let words = "";
  for (const { text } of splitSentences(last.text.slice(-2000)).toReversed()) {
    const more = oneLine(text);
    // A row of a table says nothing without the others.
    if (more.startsWith("|")) continue;
    if (words.length + more.length > longestRequest) break;
    words = words === "" ? more : `${more} ${words}`;
  }
  return words === "" ? undefined : withId({ text: words, id: last.id });
}

/** The newest list of steps with a status: tasks made one by one, a todo tool's arguments, or a check list in a text. */
function findPlan(sources: readonly Source[], before = ""): string | undefined {
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
    tasks.set(id, { status: /"status"\s*:\s*"(\w+)"/.exec(call.text)?.[1] ?? "open", text: known });
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

const changes = /write|edit|create|patch|replace|insert|append|save|delete|remove|move|rename/i;
const reads = /read|view|open|cat\b|show/i;
const noFile = /todo|plan|task|agent|question|memory|message|branch|issue|pull/i;
/** An editor with several operations says in its arguments that it only shows. */
const onlyShows = /"(?:command|operation|action|mode)"\s*:\s*"(?:view|read|show|open|list)"/;

/** Files in a patch, and what a shell writes into. */
const writes =
  /\*\*\* (?:Add|Update|Delete) File: ([^\n"\\]{2,200})|(?:^|[\s"`])(?:cat|tee)\b[^\n|;&]{0,20}>{1,2} ?([\w./~-]{3,200})/g;
/** What an editor answers that could not do it; the text of a file further down may say anything. */
const refused = /^\W*(?:\w*error\b|could not|cannot|failed|invalid)/i;

/** Files made or changed, and files only read, newest last. A call that failed changed nothing. */
function findFiles(
  sources: readonly Source[],
  changedBefore: readonly string[],
  readBefore: readonly string[],
): { changed: string[]; read: string[] } {
  const changed = new Set<string>(changedBefore);
  const read = new Set<string>(readBefore);
  // Takes a file out under any of its names and tells the longest one.
  const take = (set: Set<string>, path: string) => {
    let whole = path;
    const own = rooted(path);
    for (const one of set) {
      const other = rooted(one);
      if (!isPartOf(own, other) && !isPartOf(other, own)) continue;
      set.delete(one);
      if (one.length > whole.length) whole = one;
    }
    return whole;
  };
  const keep = (set: Set<string>, path: string) => {
    set.add(take(set, path));
    for (const oldest of set) if (set.size > mostFiles * 2) set.delete(oldest);
  };
  for (const { call, result } of answeredCalls(sources)) {
    const { name, text } = call;
    if (result !== undefined && (result.isError || refused.test(result.text))) continue;
    for (const found of text.matchAll(writes)) keep(changed, (found[1] ?? found[2])!);
    if (name === undefined || noFile.test(name)) continue;
    const edits = changes.test(name);
    if (!edits && !reads.test(name)) continue;
    // Some clients do not show the arguments of an edit, or only what is written: its result names the file.
    const told = edits && result !== undefined ? pathsIn(result.text.slice(0, 400))[0] : undefined;
    const path = pathOfCall(text) ?? told ?? pathsIn(text.slice(0, 300))[0];
    if (path !== undefined) keep(edits && !onlyShows.test(text) ? changed : read, path);
  }
  for (const path of changed) take(read, path);
  return { changed: [...changed].slice(-mostFiles), read: [...read].slice(-mostFiles / 2) };
}

/** `./src/a.ts` is `/repo/src/a.ts`; a name without a folder may be another file's. */
function isPartOf(end: string, whole: string): boolean {
  return whole === end || (end.lastIndexOf("/") > 0 && whole.endsWith(end));
}

function rooted(path: string): string {
  return path.startsWith("/") ? path : path.replace(/^(?:\.\/)?/, "/");
}

/** With the folder that saves most named once, at the end: a list that is too long is cut at its beginning. */
function writeFiles(paths: readonly string[]): string {
  const saved = new Map<string, number>([["", 0]]);
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      saved.set(folder, (saved.get(folder) ?? -2 * end) + end);
    }
  }
  const [folder, gain] = [...saved].sort((a, b) => b[1] - a[1])[0]!;
  const list = paths.join(", ");
  return gain > 20 ? `, ${list}`.replaceAll(`, ${folder}/`, ", …/").slice(2) + ` (… is ${folder})` : list;
}

function readFiles(text = ""): string[] {
  const [list, folder] = text.split(/ \(… is (.*)\)$/);
  return splitList(list).map((path) => path.replace("…", folder ?? "…"));
}

function pathOfCall(text: string): string | undefined {
  return /"(?:(?:\w+_)?(?:file_?path|path|file_?name|file))"\s*:\s*"((?:[^"\\]|\\.){1,300})"/i.exec(text)?.[1];
}

function pathsIn(text: string): string[] {
  const paths: string[] = [];
  scanFacts(
    text,
    (kind, start, end) => {
      // Not the end of a tag: `</tool_use_error>`.
      if (kind === "path" && text[start - 1] !== "<") paths.push(text.slice(start, end));
    },
    { names: false },
  );
  return paths;
}

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
    .map(({ text }) => text)
    .slice(-mostFailures);
}

interface AnsweredCall {
  readonly call: Source;
  /** Undefined where the answer is not among these messages. */
  readonly result: Source | undefined;
}

/** Calls with their results, in the order of the results; last, calls without one. */
export function answeredCalls(sources: readonly Source[]): AnsweredCall[] {
  const calls = new Map<string | undefined, Source>();
  const answered: AnsweredCall[] = [];
  for (const source of sources) {
    if (source.carried) continue;
    if (source.kind === "call") calls.set(source.callId, source);
    const call = source.kind === "result" ? calls.get(source.callId) : undefined;
    if (call === undefined) continue;
    answered.push({ call, result: source });
    calls.delete(source.callId);
  }
  for (const call of calls.values()) answered.push({ call, result: undefined });
  return answered;
}

/** Commands that only look around: whoever goes on need not know that they work. */
const looksAround =
  /^(?:cd|ls|cat|head|tail|echo|grep|rg|find|which|wc|sed -n|tree|git (?:status|diff|log|show|branch))\b/;

/** Commands that ran without a failure and do something: how this project is built, tested and run. */
function findCommands(sources: readonly Source[]): string[] {
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
