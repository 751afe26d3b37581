/**
 * How much of what matters survives a fold without a model, measured on real conversations. `--fast` looks at fewer.
 * Figures are shares in percent at budgets of 1/2, 1/5, 1/10 and 1/20 of the original tokens.
 */
import { getCounter } from "../src/index.ts";
import { scoreCascade } from "./quality/cascade.ts";
import { scoreEvidence } from "./quality/evidence.ts";
import { dataFolder, hasData, loadConversations } from "./quality/load-data.ts";
import { scoreReferences } from "./quality/references.ts";
import { digestAndRecall, dropMiddle, keepLast, type Strategy, tailAndDigest } from "./quality/strategies.ts";

const fast = process.argv.includes("--fast");
const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice(7);
const ratios = fast ? [10] : [2, 5, 10, 20];
const counter = getCounter("gpt-4o");
const result: Record<string, unknown> = {};
let over = 0;

const percent = (share: number) => (100 * share).toFixed(1).padStart(6);

function table(title: string, rows: readonly (readonly [name: string, cells: readonly string[]])[]): void {
  console.log(`\n${title}`);
  for (const [name, cells] of rows) console.log(`  ${name.padEnd(26)} ${cells.join("  ")}`);
}

function evidence(
  data: string,
  most: number,
  strategies: Readonly<Record<string, readonly [Strategy, boolean]>>,
): void {
  if (only !== undefined && only !== data) return;
  const conversations = loadConversations(data, most);
  const rows: [string, string[]][] = [];
  const scores: Record<string, unknown> = {};
  for (const [name, [strategy, aware]] of Object.entries(strategies)) {
    const made = ratios.map((ratio) => scoreEvidence(conversations, strategy, ratio, counter, aware));
    over += made.reduce((sum, score) => sum + score.over, 0);
    scores[name] = made.map((score) => ({ all: score.all, answer: score.answer, share: score.share }));
    rows.push([name, made.map((score) => `${percent(score.answer)}/${percent(score.all)}/${percent(score.share)}`)]);
  }
  result[data] = scores;
  table(`${data}: answers kept / all evidence kept / evidence words kept, at ${ratios.join(", ")} : 1`, rows);
}

function references(data: string, most: number): void {
  if (only !== undefined && only !== data) return;
  const conversations = loadConversations(data, most);
  const rows: [string, string[]][] = [];
  const scores: Record<string, unknown> = {};
  const strategies = {
    "keep-last": keepLast,
    "drop-middle": dropMiddle,
    "tail 20 % + digest": tailAndDigest(0.2),
    digest: tailAndDigest(0),
  };
  for (const [name, strategy] of Object.entries(strategies)) {
    const made = ratios.map((ratio) => scoreReferences(conversations, strategy, keepLast, ratio, counter));
    over += made.reduce((sum, score) => sum + score.over, 0);
    scores[name] = made.map((score) => ({ present: score.present, inContext: score.inContext, hard: score.hard }));
    rows.push([
      name,
      made.map((score) => `${percent(score.present)}/${percent(score.inContext)}/${percent(score.hard)}`),
    ]);
  }
  result[data] = scores;
  table(`${data}: needed values present / in context / among those a window loses, at ${ratios.join(", ")} : 1`, rows);
}

if (!hasData()) {
  console.log(`quality: no conversations at ${dataFolder}; set MIDFOLD_DATA to a folder that has them. Skipped.`);
  console.log(`RESULT ${JSON.stringify({ bench: "quality", skipped: true })}`);
} else {
  const started = performance.now();
  const blind = {
    "keep-last": [keepLast, false],
    "drop-middle": [dropMiddle, false],
    digest: [tailAndDigest(0), false],
  } as const;
  const all = fast ? 40 : Number.POSITIVE_INFINITY;
  evidence("locomo-first5", fast ? 2 : 5, { ...blind, "recall 60 % + digest": [digestAndRecall(0.6), true] });
  evidence("qmsum-test", fast ? 6 : 35, { ...blind, "recall 60 % + digest": [digestAndRecall(0.6), true] });
  for (const name of ["tau-bench-airline-gpt4o", "tau2-retail-gpt41", "tau2-telecom-gpt41", "pi-mono", "openhands"]) {
    references(name, name === "pi-mono" ? 2 : all);
  }
  if (only === undefined || only === "cascade") {
    const cascade = scoreCascade(loadConversations("tau-bench-airline-gpt4o", fast ? 20 : 100), counter);
    result.cascade = cascade;
    table("folded again and again: constraints / identifiers of the user still there after n folds", [
      ...cascade.map(({ folds, constraints, identifiers }): [string, string[]] => [
        `${folds} folds`,
        [percent(constraints), percent(identifiers)],
      ]),
    ]);
  }
  if (over > 0) process.exitCode = 1;
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(`\nover budget: ${over}; ${seconds} s`);
  console.log(`RESULT ${JSON.stringify({ bench: "quality", over, ratios, ...result })}`);
}
