import type { Fact } from "../digest/fact.ts";
import { segmentsOf } from "../digest/segments-of.ts";
import type { Message } from "../message/message.ts";
import { oneLine } from "./digest-sections.ts";
import { extractFacts } from "./extract-facts.ts";
import { sliceChars } from "./gather-events.ts";

/** A verbatim snippet around one or several neighbouring facts: key and value as they stood. */
export interface DigestDetail {
  readonly message: number;
  readonly order: number;
  readonly lead: string;
  readonly text: string;
  readonly facts: readonly Fact[];
  readonly weight: number;
  /** What to write right after the detail before it in this list, where the two overlap; undefined where they do not. */
  readonly joined?: string;
}

/** About what it takes to read a key before its value, in whole words; measured best between 20 and 24 characters. */
const leftChars = 24;
const gapChars = 6;
const longestSnippet = 140;
const longestFact = 200;

export function gatherDetails(messages: readonly Message[]): DigestDetail[] {
  const facts = extractFacts(messages).filter((fact) => fact.kind !== "constraint" && fact.kind !== "error");
  return snippetsOf(facts, messages);
}

/** Facts as snippets of the messages they were found in, neighbours together. */
export function snippetsOf(facts: readonly Fact[], messages: readonly Message[]): DigestDetail[] {
  const places = new Map<string, Fact[]>();
  for (const fact of facts) {
    const key = `${fact.message}:${fact.at.segment}`;
    const list = places.get(key);
    if (list === undefined) places.set(key, [fact]);
    else list.push(fact);
  }
  const details: DigestDetail[] = [];
  const names = toolNames(messages);
  for (const list of places.values()) {
    const [first] = list as [Fact, ...Fact[]];
    const segment = segmentsOf(messages[first.message]!)[first.at.segment]!;
    const lead = segment.kind === "text" ? segment.by : (segment.name ?? names.get(segment.callId ?? "") ?? "tool");
    list.sort((a, b) => a.at.start - b.at.start || b.at.end - a.at.end);
    pushSnippets(list, segment.text, lead, details);
  }
  return details;
}

function pushSnippets(facts: readonly Fact[], text: string, lead: string, details: DigestDetail[]): void {
  let previousEnd = -1;
  for (let i = 0; i < facts.length; ) {
    const group: Fact[] = [facts[i]!];
    const start = wordStart(text, Math.max(0, facts[i]!.at.start - leftChars), facts[i]!.at.start);
    let end = Math.min(facts[i]!.at.end, facts[i]!.at.start + longestFact);
    i++;
    while (i < facts.length) {
      const next = facts[i]!;
      if (next.at.end <= end) {
        group.push(next);
        i++;
      } else if (next.at.start - end <= gapChars && next.at.end - start <= longestSnippet) {
        group.push(next);
        end = next.at.end;
        i++;
      } else break;
    }
    const snippet = oneLine(sliceChars(text.slice(start, end), longestSnippet + longestFact));
    if (snippet === "") continue;
    details.push({
      message: facts[0]!.message,
      order: details.length,
      lead,
      text: snippet,
      facts: group,
      weight: group.reduce((sum, fact) => sum + fact.weight, 0),
      ...(previousEnd >= start && { joined: text.slice(previousEnd, end).replace(/\s+/g, " ").trimEnd() }),
    });
    previousEnd = end;
  }
}

/** Moves a cut that fell inside a word on to the next word, as long as that lies before the fact itself. */
function wordStart(text: string, cut: number, fact: number): number {
  let start = cut;
  while (start > 0 && start < fact && wordCharacter.test(text[start - 1]!) && wordCharacter.test(text[start]!)) start++;
  if (start < fact) return start;
  // One long word up to the fact, or writing without spaces: cut it, but not inside a surrogate pair.
  const code = text.charCodeAt(cut);
  return code >= 0xdc00 && code <= 0xdfff ? cut + 1 : cut;
}

const wordCharacter = /[\p{L}\p{N}\p{M}_\ud800-\udfff]/u;

function toolNames(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool-call") names.set(part.id, part.name);
  }
  return names;
}
