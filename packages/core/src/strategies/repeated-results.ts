import type { Part } from "../message/part.ts";
import type { Strategy } from "../plan/draft.ts";
import { hold } from "../plan/view.ts";

/** Results smaller than this are not worth a note. */
const minTokens = 200;
const note = "[A newer result or call says this again; this older output is left out.]";
/** So much of an older output must stand in newer ones; after the very same call, what differs is mostly out of date. */
const repeatedShare = 0.9;
const sameCallShare = 0.5;

/**
 * Replaces an output by a note where what came later says it again: a file that was read twice, in pieces and then whole, or
 * read and then written anew. What only the older output says is not left out: the same call may show the next page.
 *
 * @example
 * await fold(messages, { rungs: [{ name: "repeated", rule: "said again later", strategy: repeatedResults() }] });
 */
export function repeatedResults(): Strategy {
  return function repeated(draft, goal) {
    if (draft.total <= goal.target) return;
    const { atoms, holds, messages, counter } = draft.view;
    const noteTokens = counter.count(note) + 24;
    const newer = new Set<string>();
    const newerCalls = new Set<string>();
    const stale: { atom: number; index: number }[] = [];
    for (let atom = atoms.length - 1; atom >= 0; atom--) {
      if (atoms[atom]!.kind !== "exchange") continue;
      const exchange = messages.slice(atoms[atom]!.first, atoms[atom]!.last + 1);
      const calls = exchange.flatMap(({ parts }) => parts.flatMap(callOf));
      // Results of parallel calls may share one message: only where all of them were made again they are the same.
      const madeAgain = calls.length > 0 && calls.every((call) => newerCalls.has(call));
      const share = madeAgain ? sameCallShare : repeatedShare;
      const told = exchange.map((message) => message.parts.flatMap(resultLines));
      told.forEach((lines, at) => {
        const index = atoms[atom]!.first + at;
        if (lines.length === 0 || holds[atom] !== hold.free || draft.tokensOfMessage(index) < minTokens) return;
        // The note takes the place of the whole result: a picture in it would be lost.
        if (!exchange[at]!.parts.every(isText)) return;
        if (shareOf(lines, newer) >= share) stale.push({ atom, index });
      });
      for (const call of calls) newerCalls.add(call);
      for (const lines of told) for (const line of lines) newer.add(line);
      for (const { parts } of exchange) for (const line of parts.flatMap(callLines)) newer.add(line);
    }
    for (let i = stale.length - 1; i >= 0 && draft.total > goal.target; i--) {
      const { atom, index } = stale[i]!;
      const results = messages[index]!.parts.length;
      draft.cut(atom, { message: index, toTokens: noteTokens * results, note });
    }
  };
}

const callOf = (part: Part) => (part.type === "tool-call" ? [`${part.name}\u0000${part.input}`] : []);

const resultLines = (part: Part) =>
  part.type === "tool-result"
    ? part.content.flatMap((content) => (content.type === "text" ? linesOf(content.text) : []))
    : [];

const isText = (part: Part) => part.type !== "tool-result" || part.content.every(({ type }) => type === "text");

/** What a call writes into a file stands in its JSON, where quotation marks and line breaks are escaped. */
const callLines = (part: Part) => (part.type === "tool-call" ? linesOf(part.input.replaceAll('\\"', '"')) : []);

/** `57→`, `57\t`, `57:`, `a.ts:57:`: where a line stands may have changed since. */
const numbered = /^(?:[^\s:]{1,200}:)?\s*\d+(?:→|\t|[:|-])\s?/;

function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (const line of text.split(/\n|\\n/)) {
    const words = line.replace(numbered, "").replaceAll("\\t", "\t").trim();
    if (words !== "") lines.push(words);
  }
  return lines;
}

/** How much of the text of these lines stands in `others`. */
function shareOf(lines: readonly string[], others: ReadonlySet<string>): number {
  let all = 0;
  let found = 0;
  for (const line of lines) {
    all += line.length;
    if (others.has(line)) found += line.length;
  }
  return found / all;
}
