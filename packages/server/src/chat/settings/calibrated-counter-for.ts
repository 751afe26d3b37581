import { CalibratedCounter, getCounter, type TokenCounter } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";

/** How far single requests may be off where nothing else is known. */
const usualError = 0.07;

/** The counter of a model, corrected by what its provider billed for earlier requests. Exact counters stay as they are. */
export async function calibratedCounterFor(store: OwnerStore, model: string, countAs: string): Promise<TokenCounter> {
  const counter = getCounter(countAs);
  if (counter.exact) return counter;
  const known = await store.calibrations.get(model, counter.name);
  const { ratio, samples } = known ?? { ratio: 1, samples: 0 };
  return new CalibratedCounter(counter, { calibration: { ratio, samples, error: usualError } });
}
