import type { Drift } from "../api/console-schemas.ts";
import type { RequestRecord } from "../requests/request-record.ts";

const maxPoints = 200;

export interface LearnedRatio {
  readonly model: string;
  readonly counter: string;
  readonly ratio: number;
  readonly samples: number;
}

/** How far our counts were from what providers billed, per model, over the requests at hand. */
export function measureDrift(records: Iterable<RequestRecord>, learned: readonly LearnedRatio[]): Drift {
  const points = new Map<string, { counter: string; points: { at: number; counted: number; billed: number }[] }>();
  for (const record of records) {
    const billed = record.usage?.input ?? 0;
    if (billed <= 0 || record.tokensAfter <= 0 || !record.counted) continue;
    const group = points.get(record.model) ?? { counter: record.counter, points: [] };
    points.set(record.model, group);
    if (group.points.length < maxPoints) group.points.push({ at: record.at, counted: record.tokensAfter, billed });
  }
  const models = new Set([...points.keys(), ...learned.map(({ model }) => model)]);
  return {
    models: [...models].sort().map((model) => {
      const group = points.get(model);
      const known = learned.find((entry) => entry.model === model);
      const series = (group?.points ?? []).toReversed();
      const errors = series.map(({ counted, billed }) => Math.abs(counted - billed) / billed);
      return {
        model,
        counter: group?.counter ?? known?.counter ?? "",
        samples: known?.samples ?? series.length,
        ratio: known?.ratio ?? 1,
        meanError: errors.length === 0 ? 0 : errors.reduce((sum, error) => sum + error, 0) / errors.length,
        points: series,
      };
    }),
  };
}
