import { splitSentences } from "../text/split-sentences.ts";
import { oneLine } from "./lines.ts";
import { withId } from "./rules.ts";
import type { Source } from "./sources.ts";
import { findFailures, isRequest } from "./state.ts";

/** Steps are those of the request in hand. */
export const storyKinds = ["reported", "mended", "step"] as const;

/** How the work went, as lines of the state (`reported: …`), oldest first: whole sentences of the assistant, each with its message. */
export function findStory(sources: readonly Source[], carried: readonly string[]): string[] {
  const lines = new Set<string>();
  const add = (kind: (typeof storyKinds)[number], text: string | undefined, { id }: Source) => {
    if (text !== undefined) lines.add(withId({ text: `${kind}: ${text}`, id }));
  };
  const asked = sources.some(isRequest);
  for (const line of carried) {
    const kind = storyKinds.find((name) => line.startsWith(`${name}: `));
    if (kind !== undefined && !(asked && kind === "step")) lines.add(line);
  }
  let said: Source[] = [];
  let worked = false;
  for (const source of sources) {
    if (source.kind === "call") worked = true;
    if (isRequest(source)) {
      // What the assistant said last before the user spoke again is its report on that request. Where it called no tool
      // it answered a question; what of that is worth telling is chosen by its value.
      const last = said.at(-1);
      if (worked && last !== undefined) add("reported", findReport(last), last);
      said = [];
      worked = false;
    } else if (source.kind === "text" && source.by === "assistant" && !source.carried) {
      if (said.at(-1)?.message !== source.message) said.push(source);
    }
  }
  findFailures(sources, (failure, file, result) => {
    add("mended", `${failure}; worked after ${file} was changed`, result);
  });
  // How each message of the request in hand begins: "Now the reindex:". The last one is told as the assistant's last words.
  if (worked) for (const one of said.slice(0, -1)) add("step", sentencesOf(one)[0]?.replace(/[:：]$/, ""), one);
  return [...lines];
}

/**
 * The sentence at the beginning that tells most: the first is often only "The experiment is conclusive.". No entries of
 * lists, no questions, no lines that announce a list.
 */
function findReport(source: Source): string | undefined {
  const first = sentencesOf(source).filter((line) => !/^(?:[-*>]|\d+[.)]) |[?？:：]$/.test(line));
  const tells = (line: string) => line.match(/\p{L}{4,}|[`\d*]/gu)!.length;
  return first.slice(0, 3).sort((a, b) => tells(b) - tells(a))[0];
}

/** No titles, no rows of tables. */
function sentencesOf({ text }: Source): string[] {
  return splitSentences(text)
    .map((sentence) => oneLine(sentence.text))
    .filter((line) => line.length >= 16 && line.length <= 240 && /^[^#|]*\p{L}{4}/u.test(line));
}
