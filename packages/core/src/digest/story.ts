import { splitSentences } from "../text/split-sentences.ts";
import { answeredCalls } from "./answered-calls.ts";
import { clip, gap, oneLine } from "./lines.ts";
import { findFailures } from "./outcomes.ts";
import { findRequests, isRequest } from "./requests.ts";
import { listMark, withId } from "./rules.ts";
import type { Source } from "./sources.ts";

/** Steps are those of the request in hand. */
export const storyKinds = ["answered", "reported", "mended", "step"] as const;

/** How the work went, as lines of the state (`reported: …`), oldest first: whole sentences of the assistant, each with its message. */
export function findStory(sources: readonly Source[], carried: readonly string[]): string[] {
  const lines = new Set<string>();
  const add = (kind: (typeof storyKinds)[number], text: string | undefined, id?: string) => {
    if (text !== undefined) lines.add(withId({ text: `${kind}: ${text}`, id }));
  };
  const asked = sources.some(isRequest);
  for (const line of carried) {
    const kind = storyKinds.find((name) => line.startsWith(`${name}: `));
    if (kind !== undefined && !(asked && kind === "step")) lines.add(line);
  }
  let said: Source[] = [];
  let worked = false;
  let report: Source | undefined;
  let place = 0;
  for (const source of sources) {
    const before = place;
    place = Number(source.id?.slice(1) ?? 0);
    // A message that is not among these stays beside the note: it is the newest request.
    const isNext = isRequest(source) || (before > 0 && place > before + 1);
    if (isNext) {
      // What the assistant said last before the user spoke again is its report on that request, unless the user interrupted
      // its work. Where it called no tool it answered a question; what of that is worth telling is chosen by its value.
      if (report) add("reported", openingOfReport(report), report.id);
      said = [];
      worked = false;
      report = undefined;
    }
    if (source.kind === "call") {
      worked = true;
      report = undefined;
    } else if (source.kind === "text" && source.by === "assistant" && !source.carried) {
      if (said.at(-1)?.message !== source.message) said.push(source);
      if (worked) report = said.at(-1);
    }
  }
  findFailures(sources, (failure, file, { id }) => {
    add("mended", `${failure}; worked after ${file} was changed`, id);
  });
  // What the user decided, asked by the assistant or by a tool; not a question that was refused.
  for (const { decision } of findRequests(sources)) add("answered", decision);
  for (const { call, result } of answeredCalls(sources)) {
    if (/question|user/i.test(call.name ?? "") && /^.{0,40}answer/i.test(result?.text ?? ""))
      add("answered", `${call.name}: ${oneLine(result!.text).slice(0, 240)}`, result!.id);
  }
  // How each message of the request in hand begins: "Now the reindex:". The last one is told as the assistant's last words.
  if (worked) for (const one of said.slice(0, -1)) add("step", tellingSentence(one)?.replace(/[:：]$/, ""), one.id);
  return [...lines];
}

/**
 * Says only what comes next, or that enough is known to go on: "Let me check the tests:", "Now I have the full picture.".
 * Whoever takes over learns nothing from it alone.
 */
export const announces =
  /[:：]\**$|^(?:\p{L}+,? ){0,2}(?:let me|let['’]?s|i['’]ll|here['’]?s|here (?:is|are)|lass mich|je vais|voy a) |^让我|(?:full|complete|clear) (?:picture|context)|everything i need|^ready to /iu;

const boldTitle = /^\*\*[^*]*[^*.!]\*\*(?: \([^)]*\))?$/;

/**
 * The sentence at the beginning that tells most: the first is often only "The experiment is conclusive." or "I have the full
 * picture.". No titles, no rows of tables.
 */
function tellingSentence({ text }: Source): string | undefined {
  const first = splitSentences(text)
    .map((sentence) => oneLine(sentence.text))
    .filter(
      (line) => line.length >= 16 && line.length <= 240 && !boldTitle.test(line) && /^[^#|]*\p{L}{4}/u.test(line),
    );
  const tells = (line: string) => line.match(/\p{L}{4,}|[`\d*]/gu)!.length;
  return first.slice(0, 3).sort((a, b) => tells(b) - tells(a))[0];
}

/** A report is told from so many of its first sentences, in at most so many characters; where so many say enough, no more. */
const firstOfReport = 24;
const longestReport = 220;
const enough = 80;
/** "All tests pass, linter clean." does not say what was done. */
const allWell =
  /^(?:\W*(?:and|all|both|every\w*|the|is|are|now|tests?|checks?|lint\w*|builds?|suite|whole|full|repo\w*|on|with|in|no|\d+|issues?|errors?|reports?|files?|pass\w*|clean\w*|green|good|fine|done|fixed|finished|complete\w*|committed|implemented|verified|confirmed|great|perfect|excellent|progress|success\w*)\b)+\W*$/i;

/**
 * What a report opens with, for that is what came of the request: its first sentences, titles and entries that say something.
 * One sentence picked from it was often a remark ("Also applied to the other flag.").
 */
function openingOfReport({ text }: Source): string | undefined {
  let said = "";
  let left = false;
  for (const sentence of splitSentences(text.slice(0, 9999), 1000).slice(0, firstOfReport)) {
    const line = oneLine(sentence.text).replace(/^#+ /, "");
    const bare = line.replace(listMark, "");
    const words = bare.match(/\p{L}{3,}|\p{Lo}{2}/gu)?.length ?? 0;
    // An entry goes on with a list. It opens a report only where it is written as a sentence is.
    const opens = /^[\p{Lu}\p{Lo}*`]/u.test(bare) && words > 0;
    const says =
      words > 2 && !boldTitle.test(line) && !allWell.test(bare) && !announces.test(bare.replace(/[:：]\W*$/, ""));
    if (!(bare === line ? says : said !== "" || opens) || /^[|>→]|[?？]\W*$/.test(line)) {
      left = said !== "";
      continue;
    }
    const room = longestReport - said.length;
    if (said === "") said = clip(bare, room);
    else if (said.length > enough / 2 && line.length > room) break;
    else said += `${left ? gap : " "}${clip(line, room)}`;
    if (said.length >= enough && !/[:：]\W*$/.test(said)) break;
    left = false;
  }
  return said || undefined;
}
