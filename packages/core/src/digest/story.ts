import { splitSentences } from "../text/split-sentences.ts";
import { answeredCalls } from "./answered-calls.ts";
import { oneLine } from "./lines.ts";
import { findFailures } from "./outcomes.ts";
import { findRequests, isRequest } from "./requests.ts";
import { withId } from "./rules.ts";
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
  for (const source of sources) {
    if (source.kind === "call") {
      worked = true;
      report = undefined;
    } else if (isRequest(source)) {
      // What the assistant said last before the user spoke again is its report on that request, unless the user interrupted
      // its work. Where it called no tool it answered a question; what of that is worth telling is chosen by its value.
      if (report) add("reported", tellingSentence(report, /^(?:[-*>]|\d+[.)]) |[?？:：]\**$/), report.id);
      said = [];
      worked = false;
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
  for (const { answers, line } of findRequests(sources)) if (answers) add("answered", line);
  for (const { call, result } of answeredCalls(sources)) {
    if (/question|user/i.test(call.name ?? "") && /^.{0,40}answer/i.test(result?.text ?? ""))
      add("answered", `${call.name}: ${oneLine(result!.text).slice(0, 240)}`, result!.id);
  }
  // How each message of the request in hand begins: "Now the reindex:". The last one is told as the assistant's last words.
  if (worked) for (const one of said.slice(0, -1)) add("step", tellingSentence(one)?.replace(/[:：]$/, ""), one.id);
  return [...lines];
}

/**
 * The sentence at the beginning that tells most: the first is often only "The experiment is conclusive." or "I have the full
 * picture.". No titles, no rows of tables; for a report no entries of lists, no questions, no lines that announce a list.
 */
function tellingSentence({ text }: Source, not?: RegExp): string | undefined {
  const first = splitSentences(text)
    .map((sentence) => oneLine(sentence.text))
    .filter(
      (line) =>
        line.length >= 16 &&
        line.length <= 240 &&
        /^(?!\*\*[^*]*[^*.!]\*\*$)[^#|]*\p{L}{4}/u.test(line) &&
        !not?.test(line),
    );
  const tells = (line: string) => line.match(/\p{L}{4,}|[`\d*]/gu)!.length;
  return first.slice(0, 3).sort((a, b) => tells(b) - tells(a))[0];
}
