/**
 * Learns the tables of `src/digest/weights.ts` from recorded conversations: which exact things later tool calls pass on,
 * and which clauses answer later questions. Prints how well each set is ranked by tables that did not see it, and with
 * `--write` puts the tables into the file. The recordings are those of `MIDFOLD_DATA`, default `../shared/data`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { findClauses } from "../src/digest/clauses.ts";
import { findFacts, kinds } from "../src/digest/find-facts.ts";
import { sourcesOf } from "../src/digest/sources.ts";
import { formats } from "../src/formats/formats.ts";
import type { Message } from "../src/message/message.ts";
import { stopWords } from "../src/text/stop-words.ts";
import { termsOf } from "../src/text/terms-of.ts";

interface Recorded {
  readonly messages: readonly { role: string; content?: string; tool_calls?: { function: { arguments: string } }[] }[];
  readonly qa?: readonly { answer: unknown; evidence?: readonly number[]; category?: unknown }[];
}

interface Examples {
  readonly set: string;
  readonly features: (readonly number[])[];
  readonly labels: number[];
  /** Text of runs with tools teaches what is said again; runs without any, for which the table is, count more. */
  readonly weight?: number;
}

/** In the order of `featuresOf` in `find-facts.ts`. */
const factFeatureNames: readonly string[] = [
  "bias",
  "log count",
  "log age",
  "said by user",
  "said by assistant",
  "passed to a call",
  "log calls",
  "key of an argument",
  "log length",
  "in the first message",
  "key is an id",
  "only in results",
  "one or two digits",
  "three to five digits",
  "log alike",
  "log rate",
  "told, not passed",
  "one message",
  ...kinds,
];

/** In the order of `featuresOf` in `clauses.ts`. */
const clauseFeatureNames: readonly string[] = [
  "bias",
  "mean rarity",
  "number of words",
  "digit",
  "name",
  "asks",
  "exclaims",
  "I or we",
  "you",
  "new words",
  "quotation",
  "time",
  "one or two words",
  "words taken up soon",
  "begins with I or we",
  "opens a message",
  "opens a reply to a question",
  "answers what, where, when",
];

const folder = process.env.MIDFOLD_DATA ?? join(import.meta.dirname, "../../../../shared/data");
const mostConversations = 60;
const horizon = 30;
/** Some recordings have what a call showed among its arguments: a numbered listing, from here on. */
const listing = /^\s*\d+(?:\t|→)[^\n]*\n\s*\d+(?:\t|→|$)/m;
const cuts = [0.25, 0.4, 0.5, 0.6, 0.7, 0.8];

if (!existsSync(folder)) {
  console.log(`train: no recordings in ${folder}; name a folder in MIDFOLD_DATA.`);
  process.exit(1);
}
const passed: Examples[] = [];
const told: Examples[] = [];
const answers: Examples[] = [];
for (const file of readdirSync(folder).filter((name) => name.endsWith(".jsonl.gz"))) {
  const set = file.slice(0, -".jsonl.gz".length);
  const conversations = gunzipSync(readFileSync(join(folder, file)))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .slice(0, mostConversations)
    .map((line) => JSON.parse(line) as Recorded);
  const withCalls = conversations.some(({ messages }) => messages.some(({ tool_calls }) => tool_calls !== undefined));
  const asked = conversations.some(({ qa }) => qa?.some(({ category }) => category !== 5 && category !== undefined));
  if (asked && !withCalls) answers.push(...conversations.map((one, index) => clauseExamples(one, `${set} ${index}`)));
  else if (!conversations.some(({ qa }) => qa !== undefined)) {
    if (withCalls) passed.push(factExamples(conversations, set, true));
    told.push({ ...factExamples(conversations, set, false), weight: withCalls ? 1 : 4 });
  }
}
const fewest = 30;
const enough = (sets: readonly Examples[]) =>
  sets.filter(({ labels }) => labels.filter((label) => label === 1).length >= fewest);
const tables = {
  use: report("exact things passed to later calls", enough(passed), factFeatureNames, 40),
  useInTalk: report("exact things said again, without tools", enough(told), factFeatureNames, 40),
  answer: report("clauses that answer", enough(answers), clauseFeatureNames, 2, false),
};
if (process.argv.includes("--write")) write(tables);

/** An exact thing is needed when a later call passes it on, and nothing in between told it again. */
function factExamples(conversations: readonly Recorded[], set: string, withCalls: boolean): Examples {
  const examples: Examples = { set, features: [], labels: [] };
  for (const { messages } of conversations) {
    const talk = messages.filter(({ role }) => role !== "system");
    const decoded = decode(talk);
    if (decoded.length !== talk.length) continue;
    for (const share of cuts) {
      let cut = Math.floor(talk.length * share);
      while (cut < talk.length && talk[cut]!.role === "tool") cut++;
      if (cut < 3) continue;
      const { sources } = sourcesOf(decoded.slice(0, cut));
      const read = withCalls ? sources : sources.filter(({ kind }) => kind === "text" || kind === "block");
      const { facts, features } = findFacts(read, cut);
      const labels = new Uint8Array(facts.length);
      let between = "";
      for (const message of talk.slice(cut, cut + horizon)) {
        const uses = withCalls
          ? (message.tool_calls ?? []).map((call) => call.function.arguments.split(listing, 1)[0]).join("\n")
          : message.role === "assistant"
            ? (message.content ?? "")
            : "";
        facts.forEach(({ text }, index) => {
          if (labels[index] === 0 && uses !== "" && stands(uses, text)) labels[index] = between.includes(text) ? 2 : 1;
        });
        between += `\n${message.content ?? ""}\n${uses}`;
      }
      facts.forEach((_, index) => {
        if (labels[index] === 2) return;
        const kind = kinds.map((one) => Number(one === facts[index]!.kind));
        examples.features.push([...features[index]!, ...kind]);
        examples.labels.push(labels[index]!);
      });
    }
  }
  return examples;
}

/** A clause is needed when it has at least half of the words of an answer that its message is evidence for. */
function clauseExamples({ messages, qa = [] }: Recorded, set: string): Examples {
  const decoded = decode(messages);
  const { sources } = sourcesOf(decoded);
  const { clauses, features } = findClauses(sources, []);
  const wanted = new Map<number, Set<string>[]>();
  for (const { answer, evidence = [], category } of qa) {
    if (category === 5) continue;
    for (const at of evidence) wanted.set(at, [...(wanted.get(at) ?? []), words(String(answer))]);
  }
  const labels = clauses.map(({ source, text }) => {
    const there = words(text);
    return (wanted.get(sources[source]!.message) ?? []).some((answer) => {
      const hits = [...answer].filter((word) => there.has(word)).length;
      return answer.size > 0 && hits >= answer.size / 2;
    })
      ? 1
      : 0;
  });
  return { set, features: [...features], labels };
}

function decode(messages: Recorded["messages"]): Message[] {
  const plain = messages.map(({ role, content, tool_calls, ...rest }) => ({
    role,
    content,
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...("tool_call_id" in rest ? { tool_call_id: rest.tool_call_id } : {}),
  }));
  return formats["openai-chat"].decode(plain, { onInvalid: "skip" });
}

function words(text: string): Set<string> {
  return new Set(termsOf(text).filter((term) => !stopWords.has(term)));
}

function stands(text: string, value: string): boolean {
  const at = text.indexOf(value);
  if (at === -1) return false;
  const joins = (a: string | undefined, b: string) => a !== undefined && /\w/.test(a) && /\w/.test(b);
  return !joins(text[at - 1], value[0]!) && !joins(text[at + value.length], value.at(-1)!);
}

/** `pull` draws weights towards 0. The more, the better are sets ranked that were left out; 100 was worse again. */
function report(
  title: string,
  sets: readonly Examples[],
  names: readonly string[],
  pull: number,
  even = true,
): number[] {
  console.log(`\n${title}`);
  for (const left of sets) {
    const others = sets.filter((set) => set !== left);
    const seen = rankQuality(left, train(sets, names.length, pull, even));
    const unseen = others.length === 0 ? undefined : rankQuality(left, train(others, names.length, pull, even));
    const needed = left.labels.reduce((sum, label) => sum + label, 0);
    console.log(
      `  ${left.set.padEnd(28)} ${String(left.labels.length).padStart(7)} examples ${String(needed).padStart(6)} needed   ranked right when left out ${unseen === undefined ? "   –" : unseen.toFixed(3)}   when trained on ${seen.toFixed(3)}`,
    );
  }
  const table = train(sets, names.length, pull, even);
  names.forEach((name, index) => {
    console.log(`    ${name.padEnd(28)} ${table[index]!.toFixed(2)}`);
  });
  return table.map((value) => Math.round(value * 100) / 100);
}

/**
 * Logistic regression by Newton's method. Every set counts the same, however large, and has a bias of its own: how much is needed later
 * says nothing about which things are. Where `even`, what is needed and what is not count the same in each. Clauses count as
 * they are: what a digest has room for is decided among the best of them, which even counts fit worse.
 */
function train(sets: readonly Examples[], width: number, pull: number, even: boolean): number[] {
  const size = width + sets.length;
  const table: number[] = new Array(size).fill(0);
  for (let step = 0; step < 14; step++) {
    const system = Array.from({ length: size }, () => new Float64Array(size + 1));
    sets.forEach(({ features, labels, weight: times = 1 }, set) => {
      const own = width + set;
      const needed = labels.reduce((sum, label) => sum + label, 0);
      const up = (500 * times) / needed;
      const down = even ? (500 * times) / (labels.length - needed) : up;
      features.forEach((x, index) => {
        const weight = labels[index] === 1 ? up : down;
        let sum = table[own]!;
        for (let a = 1; a < width; a++) sum += table[a]! * x[a]!;
        const chance = 1 / (1 + Math.exp(-sum));
        const error = (chance - labels[index]!) * weight;
        const curve = chance * (1 - chance) * weight;
        const add = (a: number, value: number) => {
          const row = system[a]!;
          row[size]! += error * value;
          for (let b = 1; b < width; b++) row[b]! += curve * value * x[b]!;
          row[own]! += curve * value;
        };
        for (let a = 1; a < width; a++) if (x[a] !== 0) add(a, x[a]!);
        add(own, 1);
      });
    });
    for (let a = 0; a < size; a++) {
      const own = a === 0 ? 1 : a >= width ? 0.01 : pull;
      system[a]![a]! += own;
      system[a]![size]! += own * table[a]!;
    }
    solve(system).forEach((change, index) => {
      table[index]! -= change;
    });
  }
  table[0] = sets.reduce((sum, _, set) => sum + table[width + set]!, 0) / sets.length;
  if (!even) return table.slice(0, width);
  // Moved back from half and half to the share that was really needed.
  const rate =
    sets.reduce((sum, { labels }) => sum + labels.reduce((a, b) => a + b, 0) / labels.length, 0) / sets.length;
  table[0] += Math.log(rate / (1 - rate));
  return table.slice(0, width);
}

function logistic(features: readonly number[], table: readonly number[]): number {
  let sum = 0;
  for (let index = 0; index < table.length; index++) sum += table[index]! * features[index]!;
  return 1 / (1 + Math.exp(-sum));
}

/** Gauss–Jordan elimination with row exchange; the right side is the last column. */
function solve(system: Float64Array[]): number[] {
  const size = system.length;
  for (let at = 0; at < size; at++) {
    let best = at;
    for (let row = at; row < size; row++) if (Math.abs(system[row]![at]!) > Math.abs(system[best]![at]!)) best = row;
    [system[at], system[best]] = [system[best]!, system[at]!];
    for (let row = 0; row < size; row++) {
      const factor = row === at ? 0 : system[row]![at]! / system[at]![at]!;
      if (factor !== 0)
        for (let column = at; column <= size; column++) system[row]![column]! -= factor * system[at]![column]!;
    }
  }
  return system.map((row, at) => row[size]! / row[at]!);
}

/** The chance that a needed example is ranked above one that is not (area under the curve). */
function rankQuality({ features, labels }: Examples, table: readonly number[]): number {
  const scored = features.map((x, index) => ({ score: logistic(x, table), label: labels[index]! }));
  scored.sort((a, b) => a.score - b.score);
  let ranks = 0;
  let needed = 0;
  scored.forEach(({ label }, index) => {
    if (label === 0) return;
    ranks += index + 1;
    needed++;
  });
  return (ranks - (needed * (needed + 1)) / 2) / (needed * (scored.length - needed));
}

function write(learned: Readonly<Record<string, readonly number[]>>): void {
  const path = join(import.meta.dirname, "../src/digest/weights.ts");
  let text = readFileSync(path, "utf8");
  for (const [name, table] of Object.entries(learned)) {
    text = text.replace(
      new RegExp(`(const ${name}: readonly number\\[\\] = )\\[[^\\]]*\\]`),
      `$1${JSON.stringify(table)}`,
    );
  }
  writeFileSync(path, text);
  console.log(`\nwritten: ${path}; format it with npm run fix`);
}
