import { answeredCalls } from "./answered-calls.ts";
import { scanFacts } from "./scan-facts.ts";
import { commandOf, movesIn, shell } from "./shell.ts";
import type { Source } from "./sources.ts";

const mostFiles = 60;

export const changes = /write|edit|create|patch|replace|insert|append|save|delete|remove|move|rename/i;
const reads = /read|view|open|cat\b|show/i;
const noFile = /todo|plan|task|agent|question|memory|message|branch|issue|pull/i;
/** An editor with several operations says in its arguments that it only shows. */
export const onlyShows = /"(?:command|operation|action|mode)"\s*:\s*"(?:view|read|show|open|list)"/;

/** Files in a patch, and what a shell writes into. */
const writes =
  /\*\*\* (?:Add|Update|Delete) File: ([^\n"\\]{2,200})|(?:^|[\s"`])(?:cat|tee)\b[^\n|;&]{0,20}>{1,2} ?([\w./~-]{3,200})/g;
/** What an editor answers that could not do it; the text of a file further down may say anything. */
const refused = /^\W*(?:\w*error\b|could not|cannot|failed|invalid)/i;

/** Files made or changed, files that are gone, and files only read, newest last. A call that failed changed nothing. */
export interface Files {
  readonly changed: readonly string[];
  /** Removed, or known by a new name. Without them a note sent its reader to files that are no longer there. */
  readonly removed: readonly string[];
  readonly read: readonly string[];
}

export function findFiles(sources: readonly Source[], before: Files): Files {
  const changed = new Set<string>(before.changed);
  const removed = new Set<string>(before.removed);
  const read = new Set<string>(before.read);
  // The folder that `./main.go` is in, known once a file is spelled both ways.
  let root = "";
  const isSame = (one: string, other: string) => {
    const [end, whole] = one.length < other.length ? [one, other] : [other, one];
    if (!isPartOf(end, whole)) return root + end === whole;
    if (end !== whole) root = whole.slice(0, -end.length);
    return true;
  };
  // Takes a file out under any of its names and tells the longest one.
  const take = (set: Set<string>, path: string) => {
    let whole = path;
    for (const one of set) {
      if (!isSame(rooted(path), rooted(one))) continue;
      set.delete(one);
      if (one.length > whole.length) whole = one;
    }
    return whole;
  };
  const keep = (set: Set<string>, path: string) => {
    take(removed, path);
    set.add(take(set, path));
    for (const oldest of set) if (set.size > mostFiles * 2) set.delete(oldest);
  };
  for (const { call, result } of answeredCalls(sources)) {
    const { text } = call;
    // Typed as text, the first word of a command says what an editor did: `edit 4:9`.
    const name = call.name === shell ? /^\w+/.exec(text)?.[0] : call.name;
    if (result?.isError || refused.test(result?.text ?? "")) continue;
    for (const found of text.matchAll(writes)) keep(changed, (found[1] ?? found[2])!);
    for (const { from, to } of movesIn(commandOf(call))) {
      for (const set of [changed, read]) {
        for (const one of [...set]) {
          const moved = newName(rooted(one), rooted(from), to);
          if (moved === undefined) continue;
          set.delete(one);
          removed.add(one);
          if (moved !== "") keep(set, moved);
        }
      }
    }
    if (name === undefined || noFile.test(name)) continue;
    const edits = changes.test(name);
    if (!edits && !reads.test(name)) continue;
    // Some clients do not show the arguments of an edit, or only what is written: its result names the file.
    const told = edits ? firstPathIn(result?.text.slice(0, 400) ?? "") : undefined;
    const path = pathOfCall(text) ?? told ?? firstPathIn(text.slice(0, 300));
    if (path !== undefined) keep(edits && !onlyShows.test(text) ? changed : read, path);
  }
  for (const path of changed) take(read, path);
  const newest = (set: Set<string>, most: number) => [...set].slice(-most);
  return {
    changed: newest(changed, mostFiles),
    removed: newest(removed, mostFiles / 2),
    read: newest(read, mostFiles / 2),
  };
}

/** The name of a file after it or a folder around it was moved; empty where it was removed, undefined where it was neither. */
function newName(path: string, from: string, to: string | undefined): string | undefined {
  const isFile = isPartOf(from, path) || isPartOf(path, from);
  const at = isFile ? Math.max(0, path.length - from.length) : path.indexOf(`${from}/`);
  if (at === -1 || (at > 0 && from.lastIndexOf("/") === 0)) return undefined;
  if (to === undefined) return "";
  return (/^[/~]/.test(to) ? "" : path.slice(0, at)) + rooted(to) + (isFile ? "" : path.slice(at + from.length));
}

/** `./src/a.ts` is `/repo/src/a.ts`; a name without a folder may be another file's. */
function isPartOf(end: string, whole: string): boolean {
  return whole === end || (end.lastIndexOf("/") > 0 && whole.endsWith(end));
}

function rooted(path: string): string {
  return path.startsWith("/") ? path : path.replace(/^(?:\.\/)?/, "/");
}

const wholePaths = 8;

/** The newest stand as a tool takes them; the folder that saves most in the others is named once, at the end. */
export function writeFiles(paths: readonly string[]): string {
  const saved = new Map<string, number>([["", 20]]);
  const older = paths.slice(0, -wholePaths);
  for (const path of older) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end);
      saved.set(folder, (saved.get(folder) ?? -2 * end) + end);
    }
  }
  const [folder] = [...saved].sort((a, b) => b[1] - a[1])[0]!;
  const list = paths
    .map((path, at) =>
      folder && at < older.length && path.startsWith(`${folder}/`) ? path.replace(folder, "…") : path,
    )
    .join(", ");
  return folder ? `${list} (… is ${folder})` : list;
}

export function readFiles(text = ""): string[] {
  const [list, folder] = text.split(/ \(… is (.*)\)$/);
  return (list ? list.split(", ") : []).map((path) => path.replace("…", folder ?? "…"));
}

/** The file that the arguments of a call name; some clients give nothing but the path. */
export function pathOfCall(text: string): string | undefined {
  const named = /"(?:(?:\w+_)?(?:file_?path|path|file_?name|file))"\s*:\s*"((?:[^"\\]|\\.){1,300})"/i.exec(text)?.[1];
  return named ?? /^\s*`?([~.]{0,2}\/[^\s`"]{1,300})`?\s*$/.exec(text.slice(0, 400))?.[1];
}

function firstPathIn(text: string): string | undefined {
  let path: string | undefined;
  scanFacts(
    text,
    (kind, start, end) => {
      // Not the end of a tag: `</tool_use_error>`.
      if (kind === "path" && text[start - 1] !== "<") path ??= text.slice(start, end);
    },
    { names: false },
  );
  return path;
}
