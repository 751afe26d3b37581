import { type FoldRecord, fold, type PresetName } from "@midfold/core";
import { type ChatMessage, countMessage, flatText, flatten, unitsOf } from "./conversation.ts";
import type { Recorded } from "./data.ts";

export interface RuleScore {
  /** Kept word for word, by kind of wording. */
  readonly kept: Readonly<Record<string, number>>;
  readonly given: Readonly<Record<string, number>>;
  readonly folds: number;
  readonly refused: number;
}

/** Thirty things a user says once and expects to hold from then on. */
export const rules: readonly (readonly [kind: string, text: string])[] = [
  ["must, never", "You must run the linter before every commit."],
  ["must, never", "Never push to the main branch."],
  ["must, never", "Always answer in British English spelling."],
  ["must, never", "Do not touch anything below vendor/legacy."],
  ["imperative", "Use tabs in Makefiles and two spaces everywhere else."],
  ["imperative", "Write commit subjects in lower case without a full stop."],
  ["imperative", "Put new tests beside the file they test."],
  ["imperative", "Keep the public API of the exporter stable."],
  ["imperative", "Ask me before adding a dependency."],
  ["imperative", "Leave the changelog to me."],
  ["no …", "No emojis in code comments."],
  ["no …", "No new global variables, please."],
  ["no …", "No abbreviations in exported names."],
  ["condition", "If a test takes longer than a second, mark it as slow."],
  ["condition", "When you rename a flag, keep the old name as an alias."],
  ["condition", "Unless I say otherwise, work on the develop branch."],
  ["condition", "Whenever a migration is added, bump the schema version."],
  ["preference", "I prefer table-driven tests over separate functions."],
  ["preference", "I would rather have small pull requests than one big one."],
  ["preference", "I like error messages that name the file."],
  ["limit", "Functions stay under 40 lines."],
  ["limit", "Maximum line length is 100 characters."],
  ["limit", "The binary may not exceed 25 MB."],
  ["limit", "At most three retries per request, with 250 ms between them."],
  ["German", "Kommentare bitte nur auf Englisch schreiben."],
  ["German", "Bevor du etwas löschst, frag mich."],
  ["Italian", "Non modificare i file generati."],
  ["Italian", "Usa sempre il fuso orario UTC nei log."],
  ["French", "Ne change pas la version de Go sans me demander."],
  ["Spanish", "Los nombres de las pruebas van en inglés."],
];

const grownBy = 4_000;

/** A session with the rules in its user messages, spread over its first 60 %, each with words around it. */
export function withRules(messages: readonly ChatMessage[], given: readonly string[]): ChatMessage[] {
  const users = messages.flatMap(({ role, content }, index) =>
    role === "user" && index < messages.length * 0.6 && !content?.startsWith("<") ? [index] : [],
  );
  const changed = [...messages];
  given.forEach((rule, number) => {
    const at = users[Math.floor((number * users.length) / given.length)];
    if (at === undefined) return;
    const message = changed[at]!;
    const text = message.content ?? "";
    changed[at] = { ...message, content: placed(text, rule, number) };
  });
  return changed;
}

/** Before, after and between what the user said anyway: as a paragraph, and in the middle of running text. */
function placed(text: string, rule: string, number: number): string {
  const between = number % 4 === 3 ? " " : "\n\n";
  const breaks = between === " " ? /(?<=[.!?]) / : /\n\n/;
  const middles = [...text.matchAll(new RegExp(breaks, "g"))].map(({ index }) => index).filter((at) => isOwn(text, at));
  const at = [0, text.length, middles[Math.floor(middles.length / 2)], middles[Math.floor(middles.length / 2)]][
    number % 4
  ];
  if (at === undefined || at === text.length) return `${text}${between}${rule}`;
  return at === 0 ? `${rule}${between}${text}` : `${text.slice(0, at)}${between}${rule}${text.slice(at)}`;
}

/** Not in code or output between fences, and not in a line of a diff: what stands there is quoted, not said by the user. */
function isOwn(text: string, at: number): boolean {
  const before = text.slice(0, at);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const diff = before.slice(before.lastIndexOf("diff --git ")).split("\n").slice(1);
  const inDiff = before.includes("diff --git ") && diff.every((one) => /^(?:[-+@ ]|index |new file |$)/.test(one));
  return (before.match(/^```/gm)?.length ?? 0) % 2 === 0 && !/^[+@]/.test(line) && !inDiff;
}

/** The conversation as it grows, 4,000 tokens at a time, always whole units. */
export function growing(messages: readonly ChatMessage[], step = grownBy): number[] {
  const ends: number[] = [];
  let end = 0;
  let grown = 0;
  for (const unit of unitsOf(messages)) {
    end += unit.length;
    grown += unit.reduce((sum, message) => sum + countMessage(message), 0);
    if (grown < step) continue;
    ends.push(end);
    grown = 0;
  }
  if (ends.at(-1) !== messages.length) ends.push(messages.length);
  return ends;
}

/** Replayed in a 30k window with the fold's own record passed back, as the documentation tells users to. */
export async function scoreRules(sessions: readonly Recorded[], preset: PresetName): Promise<RuleScore> {
  const kept: Record<string, number> = {};
  const given: Record<string, number> = {};
  let folds = 0;
  let refused = 0;
  for (const session of sessions) {
    const messages = withRules(
      session.messages,
      rules.map(([, text]) => text),
    );
    let state: FoldRecord | undefined;
    let last: readonly ChatMessage[] = [];
    for (const end of growing(messages)) {
      try {
        const options = { model: "gpt-4o", window: 30_000, maxOutputTokens: 4_000, preset } as const;
        const result = await fold(messages.slice(0, end), state === undefined ? options : { ...options, state });
        if (result.outcome === "folded") folds++;
        state = result.state;
        last = result.messages;
      } catch {
        refused++;
        last = [];
      }
    }
    const text = last.map(flatText).join("\n");
    for (const [kind, rule] of rules) {
      given[kind] = (given[kind] ?? 0) + 1;
      kept[kind] = (kept[kind] ?? 0) + Number(text.includes(flatten(rule)));
    }
  }
  return { kept, given, folds, refused };
}
