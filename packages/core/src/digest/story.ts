import { splitSentences } from "../text/split-sentences.ts";
import { oneLine } from "./lines.ts";
import type { Source } from "./sources.ts";
import { findFailures } from "./state.ts";

export const storyKinds = ["decided", "reported", "mended"] as const;

/** How the work went, as lines of the state: `decided: …`, whole sentences of the assistant, each with its message. */
export function findStory(sources: readonly Source[], carried: readonly string[]): string[] {
  const lines = new Set(carried.filter((line) => storyKinds.some((kind) => line.startsWith(`${kind}: `))));
  const add = (kind: (typeof storyKinds)[number], text: string | undefined, { id }: Source) => {
    if (text !== undefined) lines.add(`${kind}: ${text}${id === undefined ? "" : ` [${id}]`}`);
  };
  let last: Source | undefined;
  let worked = false;
  for (const source of sources) {
    if (source.carried) continue;
    if (source.kind === "call") worked = true;
    if (source.kind !== "text") continue;
    if (source.by === "assistant") {
      if (last?.message !== source.message) last = source;
      if (!decides.test(source.text)) continue;
      for (const line of sentencesOf(source))
        if (decides.test(line)) add("decided", line.replace(/^[-*] /, ""), source);
    } else {
      // What the assistant said last before the user spoke again is its report on that request. Where it called no tool
      // it answered a question; what of that is worth telling is chosen by its value.
      if (worked && last)
        add(
          "reported",
          sentencesOf(last).find((line) => !/^(?:[-*>]|\d+[.)]) /.test(line)),
          last,
        );
      last = undefined;
      worked = false;
    }
  }
  findFailures(sources, (failure, file, result) => {
    add("mended", `${failure}; worked after ${file} was changed`, result);
  });
  return [...lines];
}

/** Words with which somebody says what was chosen, or what the cause was. */
const decides =
  /(?<!\p{L})(?:decided|chose|opted|settled on|go(?:ing)? with|root cause|turn(?:s|ed) out|entschieden|Ursache|décidé|la cause|decidi\p{L}+|la causa|deciso|решил\p{L}*|причина)(?!\p{L})|决定|改用|原因|決め|결정/iu;

/** No titles, rows of tables, questions, or lines that announce a list. */
function sentencesOf({ text }: Source): string[] {
  return splitSentences(text)
    .map((sentence) => oneLine(sentence.text))
    .filter(
      (line) => line.length >= 24 && line.length <= 240 && /\p{L}{2}/u.test(line) && !/^[#|]|[?？:：]$/.test(line),
    );
}
