/** Round values from 0 to at least `max`, about `count` of them. */
export function axisTicks(max: number, count = 4): readonly number[] {
  if (max <= 0) return [0];
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const ticks = [0];
  while ((ticks.at(-1) ?? 0) < max) ticks.push((ticks.at(-1) ?? 0) + step);
  return ticks;
}

/** The largest value without outliers, so that one outlier does not flatten all the others. */
export function usualMost(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const most = sorted.at(-1) ?? 0;
  const usual = sorted[Math.floor((sorted.length - 1) * 0.9)] ?? 0;
  return Math.max(1, most > 3 * usual && usual > 0 ? 1.5 * usual : most);
}
