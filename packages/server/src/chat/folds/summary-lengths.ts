import type { TokenCounter } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { WrittenFold } from "./write-fold.ts";

/** One summary a model wrote: the tokens it replaced, and those of the message that contains it. */
interface WrittenLength {
  readonly folded: number;
  readonly took: number;
}

const keyOf = (model: string) => `state.summary-lengths:${model}`;
const scope = { kind: "global" } as const;
const kept = 12;

/** Stores how long a summary became, for the next estimate of this model. */
export async function noteLength(store: OwnerStore, written: WrittenFold, counter: TokenCounter): Promise<void> {
  const folded = written.plan.spans[0]?.tokens ?? 0;
  if (written.model === null || folded === 0) return;
  const before = await lengthsOf(store, written.model);
  const took = frameTokens(written, counter);
  await store.settings.set(scope, { [keyOf(written.model)]: [...before, { folded, took }].slice(-kept) });
}

export function frameTokens({ fold }: Pick<WrittenFold, "fold">, counter: TokenCounter): number {
  const frames = fold.edits.flatMap((edit) => (edit.do === "insert" ? [edit] : []));
  return frames.reduce((sum, { role, parts }) => sum + counter.countMessage({ role, parts }), 0);
}

async function lengthsOf(store: OwnerStore, model: string): Promise<readonly WrittenLength[]> {
  const stored = (await store.settings.get(scope))[keyOf(model)];
  return Array.isArray(stored) ? (stored as readonly WrittenLength[]) : [];
}

/** The smallest size a summary is estimated at. */
export const smallest = 64;
/** How length grows with what is folded, before the model's own growth is known: 1 is in proportion, 0 not at all. */
const usualGrowth = 0.75;
/** For an unknown model: about 900 tokens for 5 000. */
const usualFactor = 1.5;
/** How much must be known before the model's own growth counts more than the usual one. */
const trust = 0.05;

/** The expected length of this model's summary of this many tokens, from those it wrote before. */
export async function expectLength(store: OwnerStore, model: string, folded: number, most: number): Promise<number> {
  const lengths = await lengthsOf(store, model);
  const guess = lengths.length === 0 ? usualFactor * folded ** usualGrowth : fitted(lengths, folded);
  return Math.min(most, Math.max(smallest, Math.round(guess)));
}

/** A straight line through the earlier ones on a logarithmic scale. */
function fitted(lengths: readonly WrittenLength[], folded: number): number {
  const points = lengths.map((length) => [Math.log(length.folded), Math.log(Math.max(1, length.took))] as const);
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [mean(0), mean(1)];
  let both = trust * usualGrowth;
  let spread = trust;
  for (const [x, y] of points) {
    both += (x - meanX) * (y - meanY);
    spread += (x - meanX) ** 2;
  }
  return Math.exp(meanY + (both / spread) * (Math.log(Math.max(1, folded)) - meanX));
}
