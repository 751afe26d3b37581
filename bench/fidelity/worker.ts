import { parentPort, workerData } from "node:worker_threads";
import type { PresetName } from "@midfold/core";
import { baselines } from "./baselines.ts";
import type { Contestant } from "./contestants.ts";
import { countMessages } from "./conversation.ts";
import { loadSet, type Recorded, sample, setNames } from "./data.ts";
import { type LastWords, scoreLastWords } from "./last-words.ts";
import { type LongAnswers, scoreLongAnswers } from "./long-answers.ts";
import { measureSet, type Part, type SetResult, type Settings } from "./measure-set.ts";
import { ours } from "./ours.ts";
import { loadPeers, peerNames } from "./peers.ts";
import { type RuleScore, scoreRules } from "./rules.ts";
import {
  type BesideSummary,
  besideSummaries,
  type Generations,
  type HandOver,
  type ReplayCost,
  replayCost,
  scoreGenerations,
  scoreHandOver,
} from "./sessions.ts";

/** One piece of the bench, small enough to be handed to whichever thread is free. */
export type Job =
  | { readonly kind: "set"; readonly name: string; readonly part: Part }
  | {
      readonly kind: "rules" | "handOver" | "generations" | "replay" | "longAnswers" | "lastWords";
      readonly name: string;
    }
  | { readonly kind: "summaries"; readonly name: string };

export interface Results {
  readonly set: Record<string, SetResult>;
  readonly rules: Record<string, RuleScore>;
  readonly handOver: Record<string, HandOver>;
  readonly generations: Record<string, Generations>;
  readonly replay: Record<string, ReplayCost>;
  readonly longAnswers: Record<string, LongAnswers>;
  readonly lastWords: Record<string, LastWords>;
  readonly summaries: Record<string, readonly BesideSummary[]>;
}

const settings = workerData as Settings & { readonly contestants: readonly string[] };

async function work(job: Job): Promise<unknown> {
  const { quick } = settings;
  const { name } = job;
  switch (job.kind) {
    case "set":
      return measureSet(loadSet(name), await contestants(), settings, job.part);
    case "rules":
      return scoreRules(coding(quick ? 4 : 13), name as PresetName);
    case "handOver":
      return scoreHandOver([...coding(quick ? 2 : 13), ...(quick ? [] : recorded("pi-mono"))], name);
    case "generations":
      return scoreGenerations(coding(quick ? 2 : 6), name as PresetName);
    case "replay":
      return replayCost(largest(recorded("coding"), 6), name);
    case "longAnswers":
      return scoreLongAnswers(name);
    case "lastWords":
      return scoreLastWords(name, settings);
    case "summaries":
      return besideSummaries(recorded(name));
  }
}

/** Peers are heavy: they are loaded only where one of them is wanted. */
async function contestants(): Promise<Contestant[]> {
  const wanted = (name: string) => settings.contestants.includes(name);
  peers ??= peerNames.some(wanted) ? await loadPeers() : [];
  return [...ours, ...baselines, ...peers].filter(({ name }) => wanted(name));
}

let peers: Contestant[] | undefined;

function recorded(start: string): readonly Recorded[] {
  return setNames()
    .filter((name) => name.startsWith(start))
    .flatMap((name) => loadSet(name).conversations);
}

function coding(most: number): Recorded[] {
  return sample(recorded("coding"), most);
}

function largest(sessions: readonly Recorded[], most: number): Recorded[] {
  const sized = sessions.map((session) => ({ session, size: countMessages(session.messages) }));
  return sized
    .sort((a, b) => b.size - a.size)
    .slice(0, most)
    .map(({ session }) => session);
}

parentPort?.on("message", async (job: Job) => {
  try {
    parentPort!.postMessage({ job, result: await work(job) });
  } catch (error) {
    parentPort!.postMessage({ job, error: String((error as Error).stack) });
  }
});
