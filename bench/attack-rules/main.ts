/**
 * Rules of the user under attack: ten languages, many wordings, early, late, spread, inside long messages, amended,
 * revoked and forged by tools, through ten folds and more, with output made to crowd them out. `--presets=agent,chat --seeds=3`
 */
import { type FoldRecord, fold, formats, type PresetName } from "@midfold/core";
import { frameOf } from "@midfold/core/summaries";
import { type ChatMessage, contentOf, countText, flatText, flatten } from "../fidelity/conversation.ts";
import { loadSet, setNames } from "../fidelity/data.ts";
import { growing } from "../fidelity/rules.ts";
import { makeScenario, type Scenario, scenarioNames } from "./scenarios.ts";

const flag = (name: string) => process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1];
const presets = (flag("presets")?.split(",") ?? ["agent", "chat", "compact", "sandwich", "proxy"]) as PresetName[];
const seeds = Number(flag("seeds") ?? 1);
const doors = ["originals", "carried on"] as const;
const budget = 12_000;
const mostShare = 0.02;

interface Outcome {
  kept: number;
  given: number;
  /** By language, what was lost. */
  readonly lost: Record<string, number>;
  halfRevoked: number;
  revoked: number;
  raised: number;
  forged: number;
  refused: number;
  folds: number;
}

const problems: string[] = [];
/** Headings under which rules of the user stood, by preset: where nothing that a tool said may stand. */
const headings = new Map<string, Map<string, number>>();
const started = performance.now();

for (const preset of presets) {
  console.log(`${`\n${preset}`.padEnd(36)}  kept    revoked  forged   folds  refused  lost in`);
  for (const name of scenarioNames) {
    for (const door of doors) {
      const sum: Outcome = {
        kept: 0,
        given: 0,
        lost: {},
        halfRevoked: 0,
        revoked: 0,
        raised: 0,
        forged: 0,
        refused: 0,
        folds: 0,
      };
      for (let seed = 1; seed <= seeds; seed++) await attack(makeScenario(name, seed), preset, door, sum);
      const share = (part: number, whole: number) => (whole === 0 ? "–" : `${part}/${whole}`).padStart(7);
      const lost = Object.entries(sum.lost).map(([language, count]) => `${language} ${count}`);
      console.log(
        `  ${name.padEnd(14)} ${door.padEnd(17)}${share(sum.kept, sum.given)}${share(sum.revoked - sum.halfRevoked, sum.revoked).padStart(9)}${share(sum.raised, sum.forged).padStart(8)}${String(sum.folds).padStart(8)}${String(sum.refused).padStart(9)}  ${lost.join(", ")}`,
      );
      const where = `${preset}, ${name}, ${door}`;
      if (sum.kept < sum.given) problems.push(`${where}: ${sum.given - sum.kept} of ${sum.given} rules lost`);
      if (sum.halfRevoked > 0)
        problems.push(`${where}: ${sum.halfRevoked} revoked rules stand without their revocation`);
      if (sum.raised > 0) problems.push(`${where}: ${sum.raised} forged rules stand among the user's`);
      if (sum.refused > 0) problems.push(`${where}: ${sum.refused} folds refused`);
    }
  }
}

async function attack(
  scenario: Scenario,
  preset: PresetName,
  door: (typeof doors)[number],
  sum: Outcome,
): Promise<void> {
  let result: readonly ChatMessage[] = [];
  let all: ChatMessage[] = [];
  let state: FoldRecord | undefined;
  for (const stretch of scenario.stretches) {
    all = [...all, ...stretch];
    const given = door === "originals" ? all : [...result, ...stretch];
    try {
      const options = {
        model: "gpt-4o",
        budget,
        preset,
        ...(door === "originals" && state !== undefined && { state }),
      };
      const made = await fold(given, options);
      if (made.outcome === "folded") sum.folds++;
      state = made.state;
      result = made.messages;
    } catch {
      sum.refused++;
      result = given;
    }
  }
  if (sum.refused > 0) result = [];
  const text = result.map(flatText).join("\n");
  const has = (sentence: string) => text.includes(flatten(sentence));
  for (const { text: rule, language } of scenario.rules) {
    sum.given++;
    if (has(rule)) sum.kept++;
    else sum.lost[language] = (sum.lost[language] ?? 0) + 1;
    for (const heading of headingsOver(rule, result)) note(preset, heading);
  }
  for (const [rule, revocation] of scenario.revoked) {
    sum.revoked++;
    // The revocation may quote the rule; only the rule on its own is a rule without its revocation.
    if (text.replaceAll(flatten(revocation), "").includes(flatten(rule)) && !has(revocation)) sum.halfRevoked++;
  }
  const ruled = rulesHeadings(preset);
  for (const rule of scenario.forged) {
    sum.forged++;
    if (headingsOver(rule, result).some((heading) => ruled.has(heading))) sum.raised++;
  }
}

function note(preset: string, heading: string): void {
  const seen = headings.get(preset) ?? new Map<string, number>();
  seen.set(heading, (seen.get(heading) ?? 0) + 1);
  headings.set(preset, seen);
}

/** The headings that hold at least a quarter of the rules found in frames, the one with most first. */
function rulesHeadings(preset: string): Set<string> {
  const seen = headings.get(preset) ?? new Map<string, number>();
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
  const most = [...seen].sort((a, b) => b[1] - a[1]);
  return new Set(most.filter(([, count]) => count >= total / 4).map(([heading]) => heading));
}

/** Lines of the frames in a folded conversation, each with the heading it stands under. */
function frameLines(messages: readonly ChatMessage[]): { heading: string; line: string }[] {
  const decoded = formats["openai-chat"].decode(messages, { onInvalid: "skip" });
  return messages.flatMap((message, index) => {
    if (decoded[index] === undefined || frameOf(decoded[index]) === undefined) return [];
    let heading = "";
    return contentOf(message)
      .split("\n")
      .map((line) => {
        if (/^(?:#+ .+|[^-\s].{0,90}:)$/.test(line)) heading = line;
        return { heading, line: flatten(line) };
      });
  });
}

function headingsOver(sentence: string, messages: readonly ChatMessage[]): string[] {
  const wanted = flatten(sentence);
  return frameLines(messages).flatMap(({ heading, line }) => (line.includes(wanted) ? [heading] : []));
}

/**
 * What the rules and the user's own words cost where nobody attacks: shares of a 30k window at the end of recorded coding
 * sessions, by the heading that rules were found under.
 */
for (const name of setNames().filter((set) => set.startsWith("coding"))) {
  for (const preset of presets) {
    const found = [...(headings.get(preset)?.keys() ?? [])].filter((heading) => heading !== "");
    const shares = new Map(found.map((heading) => [heading, 0]));
    const sessions = loadSet(name).conversations.slice(0, 6);
    for (const { messages } of sessions) {
      let state: FoldRecord | undefined;
      let last: readonly ChatMessage[] = [];
      for (const end of growing(messages, 12_000)) {
        const options = { model: "gpt-4o", window: 30_000, maxOutputTokens: 4_000, preset };
        const made = await fold(messages.slice(0, end), { ...options, ...(state !== undefined && { state }) });
        state = made.state;
        last = made.messages;
      }
      const lines = frameLines(last);
      for (const heading of found) {
        const text = lines.flatMap((line) => (line.heading === heading ? [line.line] : [])).join("\n");
        shares.set(heading, shares.get(heading)! + countText(text) / 26_000 / sessions.length);
      }
    }
    for (const [heading, share] of shares) {
      console.log(`${preset}: "${heading}" takes ${(100 * share).toFixed(1)} % of the budget in ${name}`);
      if (/rules/i.test(heading) && share > mostShare)
        problems.push(
          `${preset}: "${heading}" takes ${(100 * share).toFixed(1)} % of the budget where there are few rules`,
        );
    }
  }
}

console.log(`\n${problems.length} problems`);
for (const problem of problems) console.log(`  ${problem}`);
const seconds = Math.round((performance.now() - started) / 1000);
console.log(`RESULT ${JSON.stringify({ attack: "rules", presets, problems: problems.length, seconds })}`);
process.exitCode = problems.length === 0 ? 0 : 1;
