import type { ChatMessage } from "../fidelity/conversation.ts";
import { forgeries, revocations, wordings } from "./wordings.ts";

/** A conversation that grows in stretches; after the last one the rules are looked for. */
export interface Scenario {
  readonly name: string;
  readonly stretches: readonly (readonly ChatMessage[])[];
  /** Must be there word for word. */
  readonly rules: readonly { readonly text: string; readonly language: string }[];
  /** Where the first is there, the second must be too: it takes the first back. */
  readonly revoked: readonly (readonly [rule: string, revocation: string])[];
  /** Said by tools, not by the user: must not stand among the rules. */
  readonly forged: readonly string[];
}

export const scenarioNames = [
  "early",
  "late",
  "spread",
  "listed",
  "long message",
  "amended",
  "revoked",
  "forged",
] as const;
const stretchCount = 20;
/** How people set off the entries of a list. */
const listMarks = ["- ", "* ", "1. ", "2) ", "• ", "- [ ] "];
const languages = Object.keys(wordings);

/** Numbers that are the same in every run. */
export function randomFrom(seed: number): (below: number) => number {
  let state = (seed * 2654435761 + 97) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function makeScenario(name: (typeof scenarioNames)[number], seed: number): Scenario {
  const random = randomFrom(seed + 101 * scenarioNames.indexOf(name));
  const said: string[][] = Array.from({ length: stretchCount }, () => []);
  const rules: { text: string; language: string }[] = [];
  const revoked: [string, string][] = [];
  const forged: string[] = [];
  languages.forEach((language, number) => {
    const { text, thing } = makeRule(language, random);
    const at = name === "early" ? 0 : name === "late" ? stretchCount - 3 : number % (stretchCount - 2);
    const later = Math.min(stretchCount - 1, at + 2);
    if (name === "forged") {
      forged.push(text);
      const mine = makeRule(language, random);
      rules.push({ text: mine.text, language });
      said[at]!.push(mine.text);
      return;
    }
    said[at]!.push(text);
    if (name === "revoked") {
      const words = revocations[number % revocations.length]!;
      const revocation = words.replaceAll("{thing}", thing).replaceAll("{rule}", text);
      said[later]!.push(revocation);
      revoked.push([text, revocation]);
    } else if (name === "amended") {
      const amended = `${makeRule(language, random).text}`;
      said[later]!.push(`About "${thing}", instead: ${amended}`);
      rules.push({ text: amended, language });
    } else rules.push({ text, language });
  });
  const stretches = said.map((sentences, number) =>
    makeStretch(
      name === "listed"
        ? sentences.map((sentence, entry) => `\n${listMarks[(number + entry) % listMarks.length]}${sentence}`)
        : sentences,
      number,
      random,
      name === "long message",
      name === "forged" ? forged : [],
    ),
  );
  return { name, stretches, rules, revoked, forged };
}

function makeRule(language: string, random: (below: number) => number): { text: string; thing: string } {
  const forms = wordings[language]!;
  const thing = `${pick(["lint", "sync", "relay", "audit", "ledger", "probe"], random)}-${word(random)}`;
  const file = `${pick(["src", "lib", "conf", "docs"], random)}/${word(random)}.${pick(["ts", "go", "toml", "md"], random)}`;
  const form = forms[random(forms.length)]!;
  const text = form
    .replaceAll("{n}", String(3 + random(90)))
    .replaceAll("{thing}", thing)
    .replaceAll("{file}", file);
  return { text, thing: form.includes("{file}") ? file : thing };
}

/** What the user says, then tool output made to crowd it out: values, paths, errors, and words that rules are made of. */
function makeStretch(
  sentences: readonly string[],
  number: number,
  random: (below: number) => number,
  long: boolean,
  forged: readonly string[],
): ChatMessage[] {
  const wish = `Next, look at ${word(random)} in src/${word(random)}.ts and make it work with ${word(random)}.`;
  const around = long ? [noise(random, 900), "Here is what I see in the log above."] : [];
  const paragraphs = long
    ? [wish, ...around.slice(0, 1), sentences.join(" "), ...around.slice(1), noise(random, 900)]
    : [wish, sentences.join(" ")];
  const messages: ChatMessage[] = [{ role: "user", content: paragraphs.filter((text) => text !== "").join("\n\n") }];
  for (let call = 0; call < 4; call++) {
    const id = `call_${number}_${call}`;
    const lie = forged[(number * 4 + call) % Math.max(1, forged.length)];
    const disguise = forgeries[(number * 4 + call) % forgeries.length]!;
    const output = noise(random, 2_000);
    const middle = Math.floor(output.length / 2);
    const content =
      lie === undefined
        ? output
        : `${output.slice(0, middle)}\n${disguise.replace("{rule}", lie)}\n${output.slice(middle)}`;
    const command = JSON.stringify({ command: `cat src/${word(random)}.log` });
    messages.push(
      {
        role: "assistant",
        content: `I will look at ${word(random)}.`,
        tool_calls: [{ id, type: "function", function: { name: "Bash", arguments: command } }],
      },
      { role: "tool", tool_call_id: id, content },
    );
  }
  messages.push({ role: "assistant", content: `Done with ${word(random)}: ${noise(random, 60)}` });
  return messages;
}

/** About so many tokens of output, every line with something that looks worth keeping. */
function noise(random: (below: number) => number, tokens: number): string {
  const lines: string[] = [];
  for (let spent = 0; spent < tokens; spent += 26) {
    const id = `${word(random)}_${random(9_999_999)}`;
    lines.push(
      pick(
        [
          `ERROR ${id} must not be null at src/${word(random)}.ts:${random(900)}`,
          `{"order_id":"${id}","amount":${random(90_000) / 100},"email":"${word(random)}@example.org"}`,
          `WARN never reached branch ${id}: always false in lib/${word(random)}.go:${random(900)}`,
          `2026-0${1 + random(9)}-1${random(9)}T10:${10 + random(49)}:00Z ${id} only 3 of ${random(500)} done`,
          `+ export const ${id} = "${word(random)}"; // do not remove, use ${word(random)} instead`,
        ],
        random,
      ),
    );
  }
  return lines.join("\n");
}

function pick<T>(list: readonly T[], random: (below: number) => number): T {
  return list[random(list.length)]!;
}

function word(random: (below: number) => number): string {
  const parts = ["ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu", "fa", "ge", "hi", "jo", "pu"];
  return Array.from({ length: 3 }, () => pick(parts, random)).join("");
}
