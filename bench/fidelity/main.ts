/**
 * What survives a fold: every preset of ours, simple baselines and the libraries people use, on recorded conversations,
 * at exact o200k budgets, through the door a user would call. `--quick` samples every set at 10:1.
 * Flags: --quick --sets=a,b --ratios=2,5,10,20 --only=name,name --leave-out=set --write
 */
import type { PresetName } from "@midfold/core";
import { baselines } from "./baselines.ts";
import type { Contestant } from "./contestants.ts";
import { type ChatMessage, countMessages, faultsOf, flatText } from "./conversation.ts";
import { type DataSet, dataFolder, loadSet, type Recorded, sample, setNames } from "./data.ts";
import { askable, indexWords, scoreQuestion } from "./evidence.ts";
import { ours } from "./ours.ts";
import { findNeeds, foldPoints } from "./references.ts";
import { scoreRules } from "./rules.ts";

const flag = (name: string) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1];
const list = (name: string) =>
  flag(name)
    ?.split(",")
    .filter((one) => one !== "");
const quick = process.argv.includes("--quick");
const ratios = list("ratios")?.map(Number) ?? (quick ? [10] : [2, 5, 10, 20]);
const leftOut = new Set(list("leave-out"));
const only = list("only");
const quickly = [
  "agent",
  "agent filled",
  "chat",
  "compact",
  "proxy",
  "agent + recall",
  "digest",
  "sliding window",
  "ledger",
  "idf density",
  "bm25",
];
const contestants = [...ours, ...baselines].filter(({ name }) =>
  only !== undefined ? only.includes(name) : !quick || quickly.includes(name),
);
const presetNames = [...new Set(ours.map(({ name }) => name.split(" ")[0]!))].filter((name) => name !== "digest");

/** Sums of one contestant on one set at one ratio. */
interface Tally {
  needs: number;
  inContext: number;
  present: number;
  uncharged: number;
  leaves: number;
  leavesKept: number;
  hard: number;
  hardKept: number;
  questions: number;
  all: number;
  share: number;
  answerable: number;
  answered: number;
  runs: number;
  refused: number;
  over: number;
  invalid: number;
  milliseconds: number;
}

const tallies = new Map<string, Tally>();
const errors = new Map<string, number>();
const faults: string[] = [];

function tallyOf(set: string, name: string, ratio: number): Tally {
  const key = `${set}\t${name}\t${ratio}`;
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const made: Tally = {
    needs: 0,
    inContext: 0,
    present: 0,
    uncharged: 0,
    leaves: 0,
    leavesKept: 0,
    hard: 0,
    hardKept: 0,
    questions: 0,
    all: 0,
    share: 0,
    answerable: 0,
    answered: 0,
    runs: 0,
    refused: 0,
    over: 0,
    invalid: 0,
    milliseconds: 0,
  };
  tallies.set(key, made);
  return made;
}

/** The text a contestant leaves; undefined (scores zero) where it refuses, breaks a pair or is over the budget. */
async function attempt(
  contestant: Contestant,
  messages: readonly ChatMessage[],
  budget: number,
  tally: Tally,
  where: string,
): Promise<string | undefined> {
  tally.runs++;
  const started = performance.now();
  let kept: readonly ChatMessage[];
  try {
    kept = await contestant.run({ messages, budget });
  } catch (error) {
    tally.refused++;
    const { code, message } = error as { code?: string; message?: string };
    const reason = `${contestant.name}: ${code ?? message?.slice(0, 80)}`;
    errors.set(reason, (errors.get(reason) ?? 0) + 1);
    return undefined;
  } finally {
    tally.milliseconds += performance.now() - started;
  }
  const broken = faultsOf(kept, messages);
  const size = countMessages(kept);
  if (broken.length > 0) {
    tally.invalid++;
    faults.push(`${contestant.name} ${where}: ${broken[0]}`);
    return undefined;
  }
  if (size > budget) {
    tally.over++;
    faults.push(`${contestant.name} ${where}: ${size} tokens for a budget of ${budget}`);
    return undefined;
  }
  return kept.map(flatText).join("\n");
}

async function measureReferences(set: DataSet, conversations: readonly Recorded[]): Promise<void> {
  const points = conversations.flatMap(foldPoints);
  const sliding = baselines.find(({ name }) => name === "sliding window")!;
  for (const point of points) {
    for (const ratio of ratios) {
      const budget = Math.floor(point.tokens / ratio);
      const window = (await sliding.run({ messages: point.prefix, budget })).map(flatText).join("\n");
      const hard = point.references.filter(({ value }) => !window.includes(value));
      for (const contestant of contestants) {
        if (contestant.recalls && contestant.kind === "baseline") continue;
        const tally = tallyOf(set.name, contestant.name, ratio);
        const where = `${set.name} ${point.id} ${ratio}:1`;
        const text = (await attempt(contestant, point.prefix, budget, tally, where)) ?? "";
        const found = findNeeds(point.references, text);
        tally.needs += found.needs;
        tally.present += found.present;
        tally.inContext += found.inContext;
        const leaves = findNeeds(point.leaves, text);
        tally.leaves += leaves.needs;
        tally.leavesKept += leaves.present;
        tally.hard += hard.length;
        tally.hardKept += findNeeds(hard, text).present;
        // The same with the last user message given for free: its size is not the contestant's choice.
        const roomier = Math.floor((point.tokens - point.lastUserTokens) / ratio) + point.lastUserTokens;
        const free = (await attempt(contestant, point.prefix, roomier, tally, `${where} uncharged`)) ?? "";
        tally.uncharged += findNeeds(point.references, free).inContext;
      }
    }
  }
}

async function measureEvidence(set: DataSet, conversations: readonly Recorded[]): Promise<void> {
  for (const conversation of conversations) {
    const total = countMessages(conversation.messages);
    const asked = conversation.qa.filter(askable);
    for (const ratio of ratios) {
      for (const contestant of contestants) {
        const tally = tallyOf(set.name, contestant.name, ratio);
        const where = `${set.name} ${conversation.id} ${ratio}:1`;
        const add = (question: (typeof asked)[number], text: string | undefined) => {
          const score = scoreQuestion(conversation, question, text === undefined ? undefined : cachedIndex(text));
          tally.questions += score.questions;
          tally.all += score.all;
          tally.share += score.share;
          tally.answerable += score.answerable;
          tally.answered += score.answered;
        };
        if (contestant.recalls) {
          for (const question of sample(asked, quick ? 12 : 120)) {
            const message: ChatMessage = { role: "user", content: question.question };
            const messages = [...conversation.messages, message];
            add(question, await attempt(contestant, messages, Math.floor(total / ratio), tally, where));
          }
          continue;
        }
        const text = await attempt(contestant, conversation.messages, Math.floor(total / ratio), tally, where);
        for (const question of asked) add(question, text);
      }
    }
  }
}

let indexed: { readonly text: string; readonly index: ReturnType<typeof indexWords> } | undefined;

function cachedIndex(text: string): ReturnType<typeof indexWords> {
  if (indexed?.text !== text) indexed = { text, index: indexWords(text) };
  return indexed.index;
}

const names = setNames().filter((name) => list("sets")?.some((wanted) => name.startsWith(wanted)) ?? true);
if (names.length === 0) {
  console.log(
    `fidelity: not measured. There are no conversations in ${dataFolder}; set MIDFOLD_DATA to a folder of *.jsonl.gz.`,
  );
  console.log(`RESULT ${JSON.stringify({ bench: "fidelity", measured: false })}`);
  process.exit(1);
}

const started = performance.now();
const sets: DataSet[] = [];
for (const name of names) {
  const begun = performance.now();
  const set = loadSet(name);
  sets.push(set);
  if (set.group === "dialogues") {
    await measureEvidence(set, sample(set.conversations, quick ? 5 : 35));
  } else {
    const long = set.conversations.filter(({ messages }) => messages.length > 60).length > set.conversations.length / 2;
    const picked = long && quick ? shortest(set.conversations, 4) : sample(set.conversations, quick ? 12 : 200);
    await measureReferences(set, picked);
  }
  console.error(`${name}: ${Math.round(performance.now() - begun)} ms`);
}

/** Long runs cost most of the time; a quick look takes the shorter ones. */
function shortest(conversations: readonly Recorded[], most: number): Recorded[] {
  return [...conversations].sort((a, b) => a.messages.length - b.messages.length).slice(0, most);
}

const coding = sets.find(({ name }) => name.startsWith("coding"));
const ruleRows: Record<string, Awaited<ReturnType<typeof scoreRules>>> = {};
if (coding !== undefined) {
  const sessions = quick ? sample(coding.conversations, 4) : coding.conversations;
  for (const preset of presetNames.filter((name) => contestants.some((one) => one.name === name))) {
    ruleRows[preset] = await scoreRules(sessions, preset as PresetName);
  }
  console.error(`rules: ${Math.round(performance.now() - started)} ms`);
}

const percent = (part: number, whole: number) => (whole === 0 ? "–" : ((100 * part) / whole).toFixed(0)).padStart(5);
/** A share of fewer than this says nothing. */
const fewest = 5;
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** One measure of a contestant as a table of sets by ratios, with the macro average of each group. */
function table(title: string, group: DataSet["group"], part: keyof Tally, whole: keyof Tally): void {
  const members = sets.filter((set) => set.group === group);
  if (members.length === 0) return;
  for (const ratio of ratios) {
    console.log(`\n${title} at ${ratio}:1`);
    console.log(
      `${" ".repeat(18)}${members.map(({ name }) => name.slice(0, 9).padStart(10)).join("")}     macro${leftOut.size > 0 ? "  left out" : ""}`,
    );
    for (const { name } of contestants) {
      const cells = members.map((set) => {
        const tally = tallies.get(`${set.name}\t${name}\t${ratio}`);
        return {
          set: set.name,
          share: tally === undefined || tally[whole] < fewest ? undefined : tally[part] / tally[whole],
        };
      });
      if (cells.every(({ share }) => share === undefined)) continue;
      const macro = (wanted: (set: string) => boolean) => {
        const values = cells.flatMap(({ set, share }) => (share !== undefined && wanted(set) ? [share] : []));
        return values.length === 0 ? "–".padStart(10) : (100 * mean(values)).toFixed(1).padStart(10);
      };
      const out = (set: string) => [...leftOut].some((one) => set.startsWith(one));
      console.log(
        `${name.padEnd(18)}${cells.map(({ share }) => (share === undefined ? "–" : (100 * share).toFixed(0)).padStart(10)).join("")}${macro((set) => !out(set))}${leftOut.size > 0 ? macro(out) : ""}`,
      );
    }
  }
}

table("Ctx: values later calls need, with their context", "agents", "inContext", "needs");
table("Ctx, last user message not charged", "agents", "uncharged", "needs");
table("Leaf: JSON leaves of later arguments", "agents", "leavesKept", "leaves");
table("Hard: values a sliding window loses", "agents", "hardKept", "hard");
table("Chinese dialogues, Ctx", "chinese", "inContext", "needs");
table("Answers kept (AnsRec); recalls know the question", "dialogues", "answered", "answerable");
table("All evidence kept (EvAll)", "dialogues", "all", "questions");
table("Words of the evidence kept (EvFrac)", "dialogues", "share", "questions");

if (Object.keys(ruleRows).length > 0) {
  console.log("\nRules in the user's messages still there word for word at the end, 30k window, %");
  const kinds = Object.keys(Object.values(ruleRows)[0]!.given);
  console.log(`${" ".repeat(18)}${["all", ...kinds, "folds", "refused"].map((kind) => kind.padStart(12)).join("")}`);
  for (const [preset, score] of Object.entries(ruleRows)) {
    const sum = (values: Readonly<Record<string, number>>) => Object.values(values).reduce((a, b) => a + b, 0);
    const cells = kinds.map((kind) => percent(score.kept[kind]!, score.given[kind]!).padStart(12));
    console.log(
      `${preset.padEnd(18)}${percent(sum(score.kept), sum(score.given)).padStart(12)}${cells.join("")}${String(score.folds).padStart(12)}${String(score.refused).padStart(12)}`,
    );
  }
}

console.log("\nRuns, refusals, over budget, invalid, mean ms");
const counts: Record<string, { runs: number; refused: number; over: number; invalid: number }> = {};
for (const { name } of contestants) {
  const mine = [...tallies].filter(([key]) => key.split("\t")[1] === name).map(([, tally]) => tally);
  const sum = (field: keyof Tally) => mine.reduce((total, tally) => total + tally[field], 0);
  counts[name] = { runs: sum("runs"), refused: sum("refused"), over: sum("over"), invalid: sum("invalid") };
  console.log(
    `${name.padEnd(18)}${[sum("runs"), sum("refused"), sum("over"), sum("invalid"), Math.round((10 * sum("milliseconds")) / Math.max(1, sum("runs"))) / 10].map((value) => String(value).padStart(8)).join("")}`,
  );
}
for (const [reason, count] of errors) console.log(`  refused ${count}× ${reason}`);
for (const fault of faults.slice(0, 10)) console.log(`  fault ${fault}`);

const seconds = Math.round((performance.now() - started) / 1000);
console.log(`\n${seconds} s`);
console.log(`RESULT ${JSON.stringify({ bench: "fidelity", measured: true, quick, ratios, counts, seconds })}`);
