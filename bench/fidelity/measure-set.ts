import { baselines } from "./baselines.ts";
import type { Contestant, Task } from "./contestants.ts";
import { type ChatMessage, countMessage, countMessages, faultsOf, flatText } from "./conversation.ts";
import { type DataSet, type Question, type Recorded, sample } from "./data.ts";
import { askable, indexWords, scoreQuestion, type WordIndex } from "./evidence.ts";
import { type FoldPoint, findNeeds, foldPoints } from "./references.ts";

/** Sums of one contestant on one set at one ratio; shares are made of them at the end. */
export interface Tally {
  needs: number;
  present: number;
  inContext: number;
  /** The same where there was enough to fold that somebody would. */
  longNeeds: number;
  longInContext: number;
  uncharged: number;
  /** Fold points with words of the user, and those where the last of them are there word for word. */
  asking: number;
  asked: number;
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

export interface SetResult {
  readonly name: string;
  readonly group: DataSet["group"];
  readonly conversations: number;
  readonly points: number;
  /** By contestant and ratio. */
  readonly tallies: Readonly<Record<string, Readonly<Record<number, Tally>>>>;
  /** Why contestants refused, with counts, and what was over budget or invalid. */
  readonly refusals: Readonly<Record<string, number>>;
  readonly faults: readonly string[];
}

export interface Settings {
  readonly quick: boolean;
  readonly ratios: readonly number[];
}

/** Every n-th conversation of a set, so that two threads can share a large one. */
export interface Part {
  readonly number: number;
  readonly of: number;
}

/** Every contestant on every fold point or question of a set. Refused, invalid and over budget count as nothing kept. */
export async function measureSet(
  set: DataSet,
  contestants: readonly Contestant[],
  settings: Settings,
  part: Part = { number: 0, of: 1 },
): Promise<SetResult> {
  const measuring = new Measuring();
  let points = 0;
  const conversations = pick(set, settings.quick).filter((_, index) => index % part.of === part.number);
  for (const conversation of conversations) {
    if (set.group === "dialogues") {
      points++;
      await measuring.questions(conversation, contestants, settings);
      continue;
    }
    for (const point of pickPoints(foldPoints(conversation), settings.quick)) {
      points++;
      for (const ratio of settings.ratios) await measuring.references(point, contestants, ratio);
    }
  }
  const { tallies, refusals, faults } = measuring;
  const { name, group } = set;
  return { name, group, conversations: conversations.length, points, tallies, refusals, faults };
}

/** A quick look takes few of each set, spread over it; a whole run takes up to 200. */
function pick(set: DataSet, quick: boolean): Recorded[] {
  if (!quick) return sample(set.conversations, 200);
  const tokens = countMessages(set.conversations[0]?.messages ?? []);
  return sample(set.conversations, tokens > 30_000 ? 4 : set.group === "dialogues" ? 5 : 30);
}

/** Of long runs only the middle point: they cost most of the time, and their points are much alike. */
function pickPoints(points: readonly FoldPoint[], quick: boolean): FoldPoint[] {
  return points.filter(({ id, tokens }) => tokens < (quick ? 20_000 : 100_000) || id.endsWith("@0.6"));
}

/** The parts of a set as one. */
export function mergeResults(parts: readonly SetResult[]): SetResult {
  const [first] = parts;
  const tallies: Record<string, Record<number, Tally>> = {};
  const refusals: Record<string, number> = {};
  for (const part of parts) {
    for (const [name, byRatio] of Object.entries(part.tallies)) {
      for (const [ratio, tally] of Object.entries(byRatio)) {
        tallies[name] ??= {};
        const sum = { ...nothing, ...tallies[name][Number(ratio)] };
        for (const field of Object.keys(nothing) as (keyof Tally)[]) sum[field] += tally[field];
        tallies[name][Number(ratio)] = sum;
      }
    }
    for (const [reason, count] of Object.entries(part.refusals)) refusals[reason] = (refusals[reason] ?? 0) + count;
  }
  const total = (field: "conversations" | "points") => parts.reduce((sum, part) => sum + part[field], 0);
  return {
    name: first!.name,
    group: first!.group,
    conversations: total("conversations"),
    points: total("points"),
    tallies,
    refusals,
    faults: parts.flatMap(({ faults }) => faults),
  };
}

/** Below this a fold to a tenth has less than 150 tokens. */
const longPrefix = 1500;

class Measuring {
  readonly tallies: Record<string, Record<number, Tally>> = {};
  readonly refusals: Record<string, number> = {};
  readonly faults: string[] = [];

  async references(point: FoldPoint, contestants: readonly Contestant[], ratio: number): Promise<void> {
    const budget = Math.floor(point.tokens / ratio);
    // The last user message given for free: its size is not the contestant's choice.
    const own = point.lastUser === undefined ? 0 : countMessage(point.lastUser);
    const roomier = Math.floor((point.tokens - own) / ratio) + own;
    const window = (await sliding.run({ messages: point.prefix, budget })).map(flatText).join("\n");
    const hard = point.references.filter((need) => findNeeds([need], window).present === 0);
    for (const contestant of contestants) {
      if (contestant.dialogues) continue;
      const tally = this.#tally(contestant.name, ratio);
      const where = `${point.id} ${ratio}:1`;
      const task = { messages: point.prefix, ...(contestant.foresees === true && { needs: point.references }) };
      const text = (await this.#attempt(contestant, { ...task, budget }, tally, where)) ?? "";
      const found = findNeeds(point.references, text);
      tally.needs += found.needs;
      tally.present += found.present;
      tally.inContext += found.inContext;
      if (point.lastUser !== undefined) {
        tally.asking++;
        if (text.includes(flatText(point.lastUser))) tally.asked++;
      }
      if (point.tokens >= longPrefix) {
        tally.longNeeds += found.needs;
        tally.longInContext += found.inContext;
      }
      if (!contestant.foresees) {
        tally.leaves += point.leaves.length;
        tally.leavesKept += findNeeds(point.leaves, text).present;
      }
      tally.hard += hard.length;
      tally.hardKept += findNeeds(hard, text).present;
      const same = roomier - budget < budget * 0.01;
      const free = same ? text : ((await this.#attempt(contestant, { ...task, budget: roomier }, tally, where)) ?? "");
      tally.uncharged += findNeeds(point.references, free).inContext;
    }
  }

  async questions(
    conversation: Recorded,
    contestants: readonly Contestant[],
    { quick, ratios }: Settings,
  ): Promise<void> {
    const total = countMessages(conversation.messages);
    const asked = conversation.qa.filter(askable);
    for (const ratio of ratios) {
      const budget = Math.floor(total / ratio);
      for (const contestant of contestants) {
        if (contestant.foresees) continue;
        const tally = this.#tally(contestant.name, ratio);
        const where = `${conversation.id} ${ratio}:1`;
        const add = (question: Question, kept: WordIndex | undefined) => {
          const score = scoreQuestion(conversation, question, kept);
          tally.questions += score.questions;
          tally.all += score.all;
          tally.share += score.share;
          tally.answerable += score.answerable;
          tally.answered += score.answered;
        };
        if (contestant.recalls) {
          for (const question of sample(asked, quick ? 12 : 40)) {
            const messages = [...conversation.messages, { role: "user", content: question.question } as const];
            const text = await this.#attempt(contestant, { messages, budget }, tally, where);
            add(question, text === undefined ? undefined : indexWords(text));
          }
          continue;
        }
        const text = await this.#attempt(contestant, { messages: conversation.messages, budget }, tally, where);
        const kept = text === undefined ? undefined : indexWords(text);
        for (const question of asked) add(question, kept);
      }
    }
  }

  #tally(name: string, ratio: number): Tally {
    this.tallies[name] ??= {};
    this.tallies[name][ratio] ??= { ...nothing };
    return this.tallies[name][ratio];
  }

  /** The text a contestant leaves; undefined where it refuses, breaks a pair or is over the budget. */
  async #attempt(contestant: Contestant, task: Task, tally: Tally, where: string): Promise<string | undefined> {
    const { messages, budget } = task;
    tally.runs++;
    const started = performance.now();
    let kept: readonly ChatMessage[];
    try {
      kept = await contestant.run(task);
    } catch (error) {
      tally.refused++;
      const { code, message } = error as { code?: string; message?: string };
      const reason = `${contestant.name}: ${code ?? message?.slice(0, 80)}`;
      this.refusals[reason] = (this.refusals[reason] ?? 0) + 1;
      return undefined;
    } finally {
      tally.milliseconds += performance.now() - started;
    }
    const size = countMessages(kept);
    if (size > budget) {
      tally.over++;
      this.faults.push(`${contestant.name} ${where}: ${size} tokens for a budget of ${budget}`);
      return undefined;
    }
    const [fault] = faultsOf(kept, messages);
    if (fault !== undefined) {
      tally.invalid++;
      this.faults.push(`${contestant.name} ${where}: ${fault}`);
      return undefined;
    }
    return kept.map(flatText).join("\n");
  }
}

const sliding = baselines.find(({ name }) => name === "sliding window")!;

const nothing: Tally = {
  needs: 0,
  present: 0,
  inContext: 0,
  longNeeds: 0,
  longInContext: 0,
  uncharged: 0,
  asking: 0,
  asked: 0,
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
