import { splitSentences } from "../text/split-sentences.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { readFiles, writeFiles } from "./files.ts";
import { clip } from "./lines.ts";
import { shortRequest } from "./requests.ts";
import { type Rule, withId } from "./rules.ts";
import type { StateLine } from "./state.ts";
import { storyKinds } from "./story.ts";

/** Rules come first, up to this share; the state of the work next. */
const ruleShare = 0.5;
const stateShare = 0.08;
/** In a digest of a few hundred tokens 8 % is not a line: there it gets this share, up to so many tokens. */
const smallStateShare = 0.1;
const mostOfSmall = 240;
/** The task alone, where it is all of the state; ten words of it may take a larger share. */
const taskShare = 0.08;
const tenWords = 18;
const tenWordsShare = 0.12;
/** A request takes at most this share of the room that is left for the state. */
const longestLine = 0.6;
/** For whole sentences a fifth more: "a flight from New York to …" leaves out what matters. */
const wholeSlack = 1.2;
/** Failures come last, and get this share of the state's room before the assistant's last words do. */
const failedShare = 0.3;

/** In a room where the share is not even a sentence, rules may take most of it. */
export function ruleRoom(maxTokens: number): number {
  return Math.max(maxTokens * ruleShare, Math.min(maxTokens * 0.8, 64));
}

/** Rules that fit, the newest first when not all do; in their order. */
export function fitRules(rules: readonly Rule[], most: number, counter: TokenCounter): Rule[] {
  return newestThatFit(rules, most, (rule) => ruleCost(rule, counter));
}

export function newestThatFit<T>(items: readonly T[], most: number, costOf: (item: T) => number): T[] {
  let left = most;
  const kept = new Set<T>();
  for (const item of items.toReversed()) {
    const cost = costOf(item);
    if (cost > left) continue;
    kept.add(item);
    left -= cost;
  }
  return items.filter((item) => kept.has(item));
}

/** Steps of the request in hand get up to half of the room; by kind, each in its order. */
export function fitStory(lines: readonly string[], most: number, counter: TokenCounter): string[] {
  const cost = (line: string) => counter.count(line) + 2;
  const of = (kind: string, list: readonly string[]) => list.filter((line) => line.startsWith(kind));
  const kept = newestThatFit(of("step", lines), most / 2, cost);
  const left = kept.reduce((sum, line) => sum - cost(line), most);
  kept.push(
    ...newestThatFit(
      lines.filter((line) => !line.startsWith("step")),
      left,
      cost,
    ),
  );
  return storyKinds.flatMap((kind) => of(kind, kept));
}

export function ruleCost(rule: Rule, counter: TokenCounter): number {
  return counter.count(withId(rule)) + 2;
}

/** The lines of the state that have room. A small note has room for one of them: what the task is. */
export function fitState(
  lines: readonly StateLine[],
  maxTokens: number,
  small: boolean,
  counter: TokenCounter,
): StateLine[] {
  let left = small
    ? Math.max(maxTokens * taskShare, Math.min(maxTokens * tenWordsShare, tenWords))
    : Math.max(maxTokens * stateShare, Math.min(maxTokens * smallStateShare, mostOfSmall));
  const forFailed = lines.some(({ kind }) => kind === "failed") && !small ? left * failedShare : 0;
  left -= forFailed;
  let forFiles = Math.max(maxTokens * stateShare, Math.min(maxTokens * 0.2, 320));
  return lines.flatMap(({ kind, text: whole }) => {
    if (small && kind !== "task") return [];
    let text = whole;
    let cost = counter.count(text) + 5;
    if (kind.startsWith("files")) {
      const most = kind === "files changed" ? forFiles : forFiles / 4;
      // A list is shortened from its old end.
      for (const paths = readFiles(whole); cost > most && paths.shift() !== undefined; ) {
        text = writeFiles(paths);
        cost = counter.count(text) + 5;
      }
      forFiles -= cost;
      return text ? [{ kind, text }] : [];
    }
    // A request is told in fewer words; below ten it says nothing.
    const isRequest = /task|request/.test(kind);
    const roomFor = (line: string) =>
      left * (small ? 1 : longestLine) * (line.length < 90 && !line.endsWith("…") ? wholeSlack : 1);
    for (let most = 180; isRequest && cost > roomFor(text) && most > 50; most *= 0.85) {
      text = shortRequest(whole, most);
      cost = counter.count(text) + 5;
    }
    // How the last words end is what the next message answers: they are shortened from their beginning.
    if (kind.startsWith("last said")) {
      const said = splitSentences(text);
      for (let at = 1; cost > left && at < said.length; at++) {
        text = whole.slice(said[at]!.start).replace(/^… /, "");
        cost = counter.count(text) + 5;
      }
    }
    // Of failures the newest, up to where it has room.
    if (kind === "failed") left += forFailed;
    if (kind === "failed" && cost > left && left > 20) {
      const newest = whole.split("; ").at(-1)!;
      text = clip(newest, left * 2.5);
      cost = counter.count(text) + 5;
    }
    if (cost > Math.max(left, isRequest ? roomFor(text) : 0)) return [];
    left -= cost;
    return [{ kind, text }];
  });
}
