import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawLines } from "./draw-lines.ts";
import { measures, type Run, rowsOf, tablesOf } from "./report.ts";

const docs = join(import.meta.dirname, "../../docs");
const drawn = ["foresight", "agent", "chat", "digest", "sliding window", "ledger", "Mastra limiter", "LangChain trim"];

/** docs/fidelity.md with the method and every table, and a chart per headline measure. */
export function writeDocs(run: Run): void {
  const charts = ["ctx", "leaf", "answers"].flatMap((key) => {
    const measure = measures.find((one) => one.key === key)!;
    const lines = drawn.flatMap((name) => {
      const shares = run.ratios.map(
        (ratio) => rowsOf(run, measure, ratio).rows.find((row) => row.name === name)?.macro,
      );
      return shares.some((share) => share === undefined) ? [] : [{ name, values: shares.map((share) => 100 * share!) }];
    });
    if (lines.length === 0 || run.ratios.length < 2) return [];
    const file = `fidelity-${key}.svg`;
    const axis = run.ratios.map((ratio) => `${ratio}:1`);
    writeFileSync(join(docs, "img", file), drawLines({ title: measure.title, axis, lines }));
    return [`![${measure.title}, by ratio](img/${file})`];
  });
  const tables = tablesOf(run).map(({ title, head, rows }) => {
    const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
    return `### ${title}\n\n${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}`;
  });
  const speed = run.speed === undefined ? [] : [`A digest of 1 MB of conversation takes ${run.speed.toFixed(0)} ms.`];
  const sets = Object.values(run.results.set)
    .sort((a, b) => a.name.localeCompare(b.name))
    .map(({ name, group, conversations, points }) => `| ${name} | ${group} | ${conversations} | ${points} |`);
  const inventory = ["| set | kind | conversations | fold points |", "| --- | --- | --- | --- |", ...sets].join("\n");
  const sampled = run.quick ? ["These figures are from a quick run: a sample of each set, spread over it."] : [];
  const parts = [method, ...sampled, inventory, ...charts, ...speed, "## Tables", ...tables];
  writeFileSync(join(docs, "fidelity.md"), `${parts.join("\n\n")}\n`);
}

const method = `# What survives a fold

Written by \`npm run bench:fidelity -- --write\`; \`--quick\` takes a sample at 10:1. Without recorded conversations
(\`MIDFOLD_DATA\`, a folder of \`*.jsonl.gz\`) it says "not measured" and fails. It also fails where a preset keeps less than a
sliding window or a simple ledger on any set at any ratio, and where anything is invalid or over its budget.

## Method

No model is asked. Recorded conversations show what was needed later, so what a fold keeps can be counted. The scorer shares
no line, pattern or word list with the product, and counts o200k tokens with another tokenizer. Every contestant is called
through the door its users call, with the same exact budget. **Refused, invalid and over budget count as nothing kept.**

- **Agents** are folded at 40, 60 and 80 % of their units (a unit is a message, or a call with its results) to the tokens of
  that prefix divided by 2, 5, 10 and 20. A *need* is a value that the next 30 messages pass to a tool, that the prefix told,
  and that neither the system prompt nor anything since told. Where a run has no tools, what its next messages say counts.
  - *Ctx*: the value is there with 20 characters of what stood left or right of it. A bare list of words does not score.
  - *Ctx where 1,500 tokens or more are folded*: half of the fold points are smaller, and at 10:1 have budgets of 40 to 150
    tokens, which nobody asks for. The aims are on all of them.
  - *Ctx, last user message not charged*: the same with a budget that leaves that message out of the division.
  - *Leaf*: whole JSON leaves of the later arguments, whatever they look like, word for word.
  - *Last*: the user's last message is there word for word. *ledger* and *sliding window* leave it out where it is too large or
    too far back for them, and keep values in its place; a model would not know what to do with those.
  - *Hard*: values that a sliding window of the same size loses.
- **Dialogues** have questions with known evidence. *AnsRec*: of questions whose answer stands in the evidence, 80 % of the
  answer's words are still there. *EvAll*: every evidence message keeps 70 % of its words. *EvFrac*: share of the words of the
  evidence. A word counts only among words that stood near it, so the same word elsewhere does not. Contestants named
  "recall", and \`bm25\`, know the question; the others fold before it is asked.
- **Rules**: thirty things a user may ask for, put into the user messages of coding sessions (not into code or diffs that a
  message quotes); what is there word for word after a replay in a 30k window. \`npm run attack:rules\` goes further: ten
  languages, amended, revoked, forged.
- **Coding sessions in a 60k window**: requests (70 % of the words of what a person typed) and files changed (named at all).
- **Folds of folds**: a session grows in a 30k window and nobody keeps the originals.
- **Chats with long answers**: no set has a person who says little and an assistant who says much, so such chats are put
  together from recorded turns of people and recorded texts of assistants. A turn is kept where 70 % of its words are.
- **What the user's last message answers**: agents are folded when the user has just said something to words of the
  assistant ("the third, please"). Counted are the words left of what the assistant said, among the words they came with.
- **Replay**: every assistant message is a call. What it shares with the call before is read from the cache at 0.1, the rest
  written at 1.25 of the price of input; kTok-eq is the sum in thousands of tokens. In rows that say so every 20th call comes
  after a pause, when nothing is cached any more; *told so* passes that on to the fold as \`cacheIsCold\`.

Contestants: *agent*, *chat*, *compact*, *sandwich*, *proxy* are \`fold\` as shipped, told the model and the budget; *window*
says the same by window and output limit; *filled* asks for target 1. *digest* is the digest alone. *ledger* is a window in
40 % of the room and values with 22 characters before each in the rest (its pattern is the scorer's own, which favours it);
*idf density* and *bm25* are the textbook ways to choose sentences. *foresight* is no rival but a bound: it is told what will be
needed and keeps the last user message and the shortest piece for each need, nothing else; where it is below an aim, that aim
cannot be reached on these conversations. Libraries that estimate tokens get smaller limits until
they fit; a library without a budget gets its strongest setting that fits, then a plain window; where a model would write a
summary, a stub quotes the beginning of what it was given.

Averages (macro) are over sets, not over values. What this does not measure: whether a model goes on better, only whether it
could.

## Data`;
