import { userPercents } from "./long-answers.ts";
import type { SetResult, Tally } from "./measure-set.ts";
import { generationsShown } from "./sessions.ts";
import type { Results } from "./worker.ts";

export interface Run {
  readonly results: Results;
  readonly contestants: readonly string[];
  readonly ratios: readonly number[];
  readonly quick: boolean;
  /** Sets that no setting was chosen on: their average is shown apart. */
  readonly leaveOut: readonly string[];
  readonly speed: number | undefined;
  readonly seconds: number;
}

export interface Measure {
  readonly key: string;
  readonly title: string;
  readonly group: SetResult["group"];
  readonly part: keyof Tally;
  readonly whole: keyof Tally;
}

export const measures: readonly Measure[] = [
  {
    key: "ctx",
    title: "Ctx: values later calls need, with context",
    group: "agents",
    part: "inContext",
    whole: "needs",
  },
  {
    key: "ctxLong",
    title: "Ctx where 1,500 tokens or more are folded",
    group: "agents",
    part: "longInContext",
    whole: "longNeeds",
  },
  { key: "ctxFree", title: "Ctx, last user message not charged", group: "agents", part: "uncharged", whole: "needs" },
  { key: "leaf", title: "Leaf: JSON leaves of later arguments", group: "agents", part: "leavesKept", whole: "leaves" },
  { key: "hard", title: "Hard: values a sliding window loses", group: "agents", part: "hardKept", whole: "hard" },
  {
    key: "asked",
    title: "Last: the user's last message, word for word",
    group: "agents",
    part: "asked",
    whole: "asking",
  },
  { key: "chinese", title: "Chinese dialogues, Ctx", group: "chinese", part: "inContext", whole: "needs" },
  { key: "answers", title: "AnsRec: answers kept", group: "dialogues", part: "answered", whole: "answerable" },
  { key: "evidence", title: "EvAll: all evidence kept", group: "dialogues", part: "all", whole: "questions" },
  { key: "words", title: "EvFrac: words of the evidence kept", group: "dialogues", part: "share", whole: "questions" },
];

/** A share of fewer than this says nothing. */
const fewest = 5;

export interface Row {
  readonly name: string;
  /** By set, undefined where it does not apply. */
  readonly shares: Readonly<Record<string, number | undefined>>;
  readonly macro: number | undefined;
  readonly held: number | undefined;
}

/** One measure at one ratio: a row per contestant, with the average over the sets. */
export function rowsOf(run: Run, { group, part, whole }: Measure, ratio: number): { sets: string[]; rows: Row[] } {
  const sets = Object.values(run.results.set)
    .filter((set) => set.group === group)
    .sort((a, b) => a.name.localeCompare(b.name));
  const out = (name: string) => run.leaveOut.some((start) => name.startsWith(start));
  const rows = run.contestants.flatMap((name): Row[] => {
    const shares: Record<string, number | undefined> = {};
    for (const set of sets) {
      const tally = set.tallies[name]?.[ratio];
      shares[set.name] = tally === undefined || tally[whole] < fewest ? undefined : tally[part] / tally[whole];
    }
    const average = (wanted: (set: string) => boolean) => {
      const values = Object.entries(shares).flatMap(([set, share]) =>
        share !== undefined && wanted(set) ? [share] : [],
      );
      return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    if (Object.values(shares).every((share) => share === undefined)) return [];
    return [{ name, shares, macro: average((set) => !out(set)), held: average(out) }];
  });
  return { sets: sets.map(({ name }) => name), rows };
}

const percent = (share: number | undefined, digits = 0) => (share === undefined ? "–" : (100 * share).toFixed(digits));
const quotient = (part: number, whole: number) => percent(whole === 0 ? undefined : part / whole);
const sum = (values: Readonly<Record<string, number>>) => Object.values(values).reduce((a, b) => a + b, 0);

/** A table as rows of cells, the first column to the left. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Everything measured, as tables. */
export function tablesOf(run: Run): Table[] {
  const tables: Table[] = [];
  const held = run.leaveOut.length > 0;
  for (const measure of measures) {
    for (const ratio of run.ratios) {
      const { sets, rows } = rowsOf(run, measure, ratio);
      if (rows.length === 0) continue;
      tables.push({
        title: `${measure.title}, ${ratio}:1`,
        head: ["", ...sets.map((set) => set.slice(0, 12)), "macro", ...(held ? ["left out"] : [])],
        rows: rows.map((row) => [
          row.name,
          ...sets.map((set) => percent(row.shares[set])),
          percent(row.macro, 1),
          ...(held ? [percent(row.held, 1)] : []),
        ]),
      });
    }
  }
  const { rules, handOver, generations, replay, longAnswers, lastWords, summaries } = run.results;
  const kinds = Object.keys(Object.values(rules)[0]?.given ?? {});
  add(
    "Rules in user messages still there word for word, sessions replayed in 30k",
    ["all", ...kinds, "folds", "refused"],
    Object.entries(rules).map(([name, { kept, given, folds, refused }]) => [
      name,
      quotient(sum(kept), sum(given)),
      ...kinds.map((kind) => quotient(kept[kind]!, given[kind]!)),
      String(folds),
      String(refused),
    ]),
  );
  add(
    "Coding sessions replayed in a 60k window",
    ["requests kept", "files changed named", "folds", "refused"],
    Object.entries(handOver).map(([name, score]) => [
      name,
      quotient(score.requestsKept, score.requests),
      quotient(score.filesNamed, score.files),
      String(score.folds),
      String(score.refused),
    ]),
  );
  add(
    "Ctx after folds of folds in a 30k window; in brackets a fold of the originals at that point",
    [...generationsShown.map((folds) => `after ${folds}`), "refused"],
    Object.entries(generations).map(([name, { after, refused }]) => [
      name,
      ...generationsShown.map((folds) => {
        const { needs, carried, fresh } = after[folds] ?? { needs: 0, carried: 0, fresh: 0 };
        return `${quotient(carried, needs)} (${quotient(fresh, needs)})`;
      }),
      String(refused),
    ]),
  );
  add(
    "Chats with long answers, 10:1: turns of the user kept, by the user's share of the words",
    userPercents.map((percent) => `${percent} %`),
    Object.entries(longAnswers).map(([name, scores]) => [
      name,
      ...userPercents.map((percent) => quotient(scores[percent]!.kept, scores[percent]!.turns)),
    ]),
  );
  add(
    "What the user's last message answers: words kept",
    run.ratios.map((ratio) => `${ratio}:1`),
    Object.entries(lastWords).map(([name, scores]) => [
      name,
      ...run.ratios.map((ratio) => quotient(scores[ratio]!.answered, scores[ratio]!.points)),
    ]),
  );
  add(
    "Replay of coding sessions, W = 60k",
    ["kTok-eq", "cache breaks", "calls", "refused"],
    Object.entries(replay).map(([name, { cost, breaks, calls, refused }]) => [
      name,
      ...[cost, breaks, calls, refused].map(String),
    ]),
  );
  add(
    "Beside recorded model summaries, equal size",
    ["tokens", "needs", "requests", "files changed"],
    Object.values(summaries)
      .flat()
      .flatMap(({ tokens, needs, requests, files, summary, digest }, number) =>
        (
          [
            ["model", summary],
            ["digest", digest],
          ] as const
        ).map(([name, kept]) => [
          `${name} ${number + 1}`,
          String(tokens),
          `${kept.needs}/${needs}`,
          `${kept.requests}/${requests}`,
          `${kept.files}/${files}`,
        ]),
      ),
  );
  add(
    "Runs over all sets",
    ["runs", "refused", "over budget", "invalid", "ms"],
    run.contestants.map((name) => {
      const counts = countsOf(run, name);
      const { runs, refused, over, invalid, milliseconds } = counts;
      return [name, ...[runs, refused, over, invalid].map(String), (milliseconds / Math.max(1, runs)).toFixed(1)];
    }),
  );
  const aims = aimsOf(run);
  return aims === undefined ? tables : [...tables, aims];

  function add(title: string, head: readonly string[], rows: readonly (readonly string[])[]): void {
    if (rows.length > 0) tables.push({ title, head: ["", ...head], rows });
  }
}

function countsOf(run: Run, name: string) {
  const counts = { runs: 0, refused: 0, over: 0, invalid: 0, milliseconds: 0 };
  for (const set of Object.values(run.results.set)) {
    for (const tally of Object.values(set.tallies[name] ?? {})) {
      for (const field of Object.keys(counts) as (keyof typeof counts)[]) counts[field] += tally[field];
    }
  }
  return counts;
}

export function printResults(run: Run): void {
  for (const { title, head, rows } of tablesOf(run)) {
    const widths = head.map(
      (cell, column) => Math.max(cell.length, ...rows.map((row) => (row[column] ?? "").length)) + 2,
    );
    const line = (cells: readonly string[]) =>
      cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("");
    console.log(`\n${title}`);
    console.log(line(head));
    for (const row of rows) console.log(line(row));
  }
  if (run.speed !== undefined) console.log(`\ndigest of 1 MB: ${run.speed.toFixed(0)} ms`);
  for (const set of Object.values(run.results.set)) {
    for (const fault of set.faults.slice(0, 3)) console.log(`  fault in ${set.name}: ${fault}`);
  }
  const refusals: Record<string, number> = {};
  for (const set of Object.values(run.results.set)) {
    for (const [reason, count] of Object.entries(set.refusals)) refusals[reason] = (refusals[reason] ?? 0) + count;
  }
  for (const [reason, count] of Object.entries(refusals)) console.log(`  refused ${count}× ${reason}`);
}

/** What preset `agent`, as shipped, is meant to reach; shown, not judged: data differs. */
function aimsOf(run: Run): Table | undefined {
  const rows: string[][] = [];
  const aim = (title: string, wanted: number, value: number | undefined, most = false) => {
    if (value === undefined || Number.isNaN(value)) return;
    const met = most ? value <= wanted : value >= wanted;
    rows.push([title, `${most ? "≤" : "≥"} ${wanted}`, value.toFixed(1), met ? "yes" : "no"]);
  };
  const share = (key: string, ratio: number, name = "agent") => {
    const measure = measures.find((one) => one.key === key)!;
    const macro = run.ratios.includes(ratio)
      ? rowsOf(run, measure, ratio).rows.find((row) => row.name === name)?.macro
      : undefined;
    return macro === undefined ? undefined : 100 * macro;
  };
  for (const [ratio, wanted] of [
    [2, 95],
    [5, 88],
    [10, 75],
    [20, 60],
  ] as const) {
    aim(`Ctx at ${ratio}:1`, wanted, share("ctx", ratio));
  }
  aim("Ctx at 10:1, last user message not charged", 82, share("ctxFree", 10));
  aim("Leaf at 10:1", 80, share("leaf", 10));
  const locomo = Object.values(run.results.set).find(({ name }) => name.startsWith("locomo"));
  const answers = (name: string) => {
    const tally = locomo?.tallies[name]?.[10];
    return tally === undefined ? undefined : (100 * tally.answered) / tally.answerable;
  };
  aim("LoCoMo answers at 10:1, question unknown", 40, answers("agent"));
  aim("LoCoMo answers at 10:1, with recall", 88, answers("agent + recall"));
  const beam = Object.values(run.results.set).find(({ name }) => name.startsWith("beam"))?.tallies.agent?.[10];
  if (beam !== undefined) aim("BEAM at 10:1, all evidence", 80, (100 * beam.all) / beam.questions);
  const rules = run.results.rules.agent;
  if (rules !== undefined) aim("rules word for word in 30k", 100, (100 * sum(rules.kept)) / sum(rules.given));
  const handOver = run.results.handOver.agent;
  if (handOver !== undefined) {
    aim("requests kept in 60k", 95, (100 * handOver.requestsKept) / handOver.requests);
    aim("files changed named in 60k", 95, (100 * handOver.filesNamed) / handOver.files);
  }
  const tenth = run.results.generations.agent?.after[10];
  if (tenth !== undefined) aim("Ctx after ten folds of folds", 70, (100 * tenth.carried) / tenth.needs);
  aim("digest of 1 MB, ms", 150, run.speed, true);
  return rows.length === 0
    ? undefined
    : { title: "Aims, preset agent as shipped", head: ["", "aim", "now", "met"], rows };
}

/** The macro averages, for whoever reads the last line. */
export function summaryOf(run: Run): Record<string, unknown> {
  const macros: Record<string, Record<string, (number | null)[]>> = {};
  for (const measure of measures) {
    for (const [index, ratio] of run.ratios.entries()) {
      for (const { name, macro } of rowsOf(run, measure, ratio).rows) {
        macros[measure.key] ??= {};
        macros[measure.key]![name] ??= run.ratios.map(() => null);
        macros[measure.key]![name]![index] = macro === undefined ? null : Math.round(macro * 1000) / 10;
      }
    }
  }
  const share = (part: number, whole: number) => Math.round((1000 * part) / Math.max(1, whole)) / 10;
  const each = <T, U>(values: Readonly<Record<string, T>>, make: (value: T) => U) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, make(value)]));
  return {
    quick: run.quick,
    ratios: run.ratios,
    macros,
    rules: each(run.results.rules, ({ kept, given }) => share(sum(kept), sum(given))),
    requests: each(run.results.handOver, ({ requestsKept, requests }) => share(requestsKept, requests)),
    files: each(run.results.handOver, ({ filesNamed, files }) => share(filesNamed, files)),
    generations: each(run.results.generations, ({ after }) =>
      generationsShown.map((folds) => share(after[folds]?.carried ?? 0, after[folds]?.needs ?? 0)),
    ),
    longAnswers: each(run.results.longAnswers, (scores) =>
      userPercents.map((percent) => share(scores[percent]!.kept, scores[percent]!.turns)),
    ),
    lastWords: each(run.results.lastWords, (scores) =>
      run.ratios.map((ratio) => share(scores[ratio]!.answered, scores[ratio]!.points)),
    ),
    replay: each(run.results.replay, ({ cost }) => cost),
    digestMsPerMb: run.speed === undefined ? null : Math.round(run.speed),
  };
}
