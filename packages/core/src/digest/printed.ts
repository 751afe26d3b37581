import type { Message } from "../message/message.ts";
import { anyWord } from "../text/any-word.ts";
import { looksPasted } from "./rules.ts";
import { shell } from "./shell.ts";

/** A command that the assistant wrote as text, for a program to run. */
export interface Command {
  /** Where it stands in the message, with its fence or tag. */
  readonly start: number;
  readonly end: number;
  /** What is between the fences; with tags the whole. */
  readonly text: string;
  readonly name: string;
}

/** What in a run without tool calls was printed by programs. */
export interface Run {
  /** Messages of the user that a program printed. */
  readonly printed: ReadonlySet<number>;
  /** The command that each of them answers, by the message of the assistant. */
  readonly commands: ReadonlyMap<number, Command>;
}

const none: Run = { printed: new Set(), commands: new Map() };
/** Fewer messages prove nothing. */
const leastPrinted = 2;
/** So many of the answers to commands show the marks of a program: a person pastes output now and then. */
const mostlyPrinted = 0.7;
/** Programs ask too ("Please review the changes"). Beside so many others that bear their marks, such messages are theirs. */
const provenPrinted = 3;
/** Without such marks it takes more of them, and nearly every message of the assistant ends in a command. */
const leastUnmarked = 3;
/** Output has its marks at its ends; a page of ten megabytes is not read for them. */
const ends = 4000;

/**
 * Agents that work in plain text end each message with a command between fences or tags, and the next message "of the user"
 * is what a program printed. Read as words of a person, it was told as their requests and rules. A person who pastes output
 * and says something about it is never taken for a program: single messages prove nothing, and a message that opens or
 * ends with own words stays the user's.
 */
export function readRun(messages: readonly Message[]): Run {
  // Where tools are called their results have a place of their own.
  if (messages.some(({ role, parts }) => role === "tool" || parts.some(({ type }) => type === "tool-call")))
    return none;
  const commands = new Map<number, Command>();
  const marked: number[] = [];
  const asking: number[] = [];
  const shaped: number[] = [];
  let [answers, answered, atEnd] = [0, 0, 0];
  messages.forEach((message, index) => {
    // What opens a conversation is the task.
    const text = message.role === "user" && index > 0 ? textOf(message) : undefined;
    if (text === undefined) return;
    const before = messages[index - 1]!;
    const said = before.role === "assistant" ? textOf(before) : undefined;
    const command = said === undefined ? undefined : findCommand(said);
    if (said !== undefined) answers++;
    if (command !== undefined) {
      answered++;
      commands.set(index - 1, command);
      if (said!.length - command.end < 3) atEnd++;
    }
    const opening = text.slice(0, ends);
    const ending = text.slice(-ends);
    const around = wordsAround(opening, ending);
    if (around === undefined) {
      if (command !== undefined && isShaped(opening, ending)) shaped.push(index);
    } else if (!isSpoken(around, self)) {
      // The command that it answers may have been folded before.
      (command === undefined || isSpoken(around, other) ? asking : marked).push(index);
    }
  });
  if (marked.length >= provenPrinted) marked.push(...asking);
  const byMarks = marked.length >= leastPrinted && marked.length >= answered * mostlyPrinted;
  const all = marked.length + shaped.length;
  const byShape = all >= leastUnmarked && atEnd >= answers * mostlyPrinted && all >= answered * mostlyPrinted;
  const printed = new Set(byShape ? [...marked, ...shaped] : byMarks ? marked : []);
  for (const index of commands.keys()) if (!printed.has(index + 1)) commands.delete(index);
  return { printed, commands };
}

/** What a message says where it is one text, beside thoughts. */
function textOf({ parts }: Message): string | undefined {
  const [part, more] = parts.filter(({ type }) => type !== "reasoning");
  return part?.type === "text" && more === undefined ? part.text : undefined;
}

/** The last block between fences, or between tags at the end: `<read_file>…</read_file>`. */
export function findCommand(text: string): Command | undefined {
  const last = text.trimEnd();
  const tag = /<\/([a-z][\w-]{1,40})>$/.exec(last.slice(-60))?.[1];
  if (tag !== undefined) {
    const start = last.lastIndexOf(`<${tag}>`);
    if (start !== -1) return { start, end: last.length, text: last.slice(start), name: tag };
  }
  const fences: number[] = [];
  for (let at = last.startsWith("```") ? 0 : last.indexOf("\n```"); at !== -1; at = last.indexOf("\n```", at + 4))
    fences.push(at);
  const open = fences.length % 2 === 1 ? fences.at(-1) : fences.at(-2);
  if (open === undefined) return undefined;
  const line = last.indexOf("\n", open + 4);
  if (line === -1) return undefined;
  const close = fences.length % 2 === 1 ? last.length : fences.at(-1)!;
  const body = last.slice(line + 1, close);
  if (body.trim() === "") return undefined;
  const language = last.slice(open, line).replace(/[`\s]/g, "");
  const name = /^[a-z][a-z0-9+#]{0,15}$/i.test(language) && !shells.test(language) ? language : shell;
  return { start: open, end: Math.min(last.length, close + 4), text: body, name };
}

const shells = /^(?:ba|z|fi)?sh$|^shell$|^console$|^terminal$|^cmd$/i;

const label =
  /^\s*(?:[\w .-]{1,40}: ?)?(?:(?:(?:code|command|tool|terminal|execution|program|shell|script)[ _])?(?:observation|output|result|response)s?|stdout|stderr|exit ?code|return ?code|exit status)\b[^\n]{0,40}:|^\s*\[[\w-]{1,40}(?: for [^\n]{1,200})?\] Result:/i;
const tagged =
  /^\s*<(?:returncode|exit_?code|output|observation|stdout|stderr|result|terminal|console|(?:tool|function|command|execution|bash|shell)[_-](?:response|results?|output|stdout))\b[^>\n]{0,99}>/i;
const endsTagged = /<\/[\w-]{1,40}>\s*$/;
const prompt = /(?:^|\n)(?:\([\w.-]{1,40}\) )?(?:[\w.-]{1,40}@[^\n]{0,80}[%$#>]|[\w./~:\\-]{0,60}[$#>]|>>>|❯) ?$/;

/** Where a person would have said something beside output that bears the marks of a program; undefined where it bears none. */
function wordsAround(opening: string, ending: string): string[] | undefined {
  if (tagged.test(opening) && endsTagged.test(ending)) return [];
  if (prompt.test(ending)) return openingLines(opening);
  const mark = (label.exec(opening) ?? tagged.exec(opening))?.[0];
  return mark === undefined ? undefined : [...openingLines(opening.slice(mark.length)), ...endingLines(ending)];
}

/** Several lines, most of them nothing that people write, and no words around them. */
function isShaped(opening: string, ending: string): boolean {
  const lines = opening.split("\n").filter((line) => line.trim() !== "");
  return (
    lines.length > 1 &&
    lines.filter(isMachine).length > lines.length / 2 &&
    ![self, other].some((words) => isSpoken([...openingLines(opening), ...endingLines(ending)], words))
  );
}

/** Numbered, indented, a path, a name with its value, or without words. */
function isMachine(line: string): boolean {
  return (
    looksPasted(line) ||
    /^\s*\d+[:|\t→-]|^\s{2,}\S|^[d-][rwx-]{9}|^\S*[/\\]\S*(?::|$)|^\S+$|[=;{}()<>|[\]]/.test(line.slice(0, 400)) ||
    !/\p{L}{2}/u.test(line.slice(0, 400))
  );
}

const openingLines = (text: string) => text.trimStart().split("\n", 3);
const endingLines = (text: string) => text.trimEnd().split("\n").slice(-3);

const self = anyWord(
  "I|I'm|I've|my|me|we|our|ich|mein\\w*|mir|wir|je|mon|nous|yo|mi|io|mio|eu|meu|я|мой|мы",
  "[我]|私",
);
const other = anyWord("you|your|please|bitte|vous|votre|por favor", "[你您请請]|お願い");

/** Whether one of these lines is prose that asks a question or has one of the words. */
function isSpoken(lines: readonly string[], words: RegExp): boolean {
  return lines.some((line) => {
    const said = line.trim().slice(0, 400);
    if (!/^["“'(]?\p{L}/u.test(said) || /[{}<>|=;]|\w\(/.test(said)) return false;
    const letters = said.match(/[\p{L} ]/gu)?.length ?? 0;
    return letters >= said.length * 0.75 && (/[?？]\W*$/.test(said) || words.test(said));
  });
}
