/** Learned by `scripts/train-weights.ts` from recorded conversations. */
const use: readonly number[] = [
  -0.84, 0.12, -0.2, 0.48, -0.12, 0.23, 0.16, -0.16, -0.23, 0.6, 0.41, -0.74, -0.26, 0.4, -0.07, 0.13, -0.19, -0.25,
  0.65, 0.81, -0.22, 0.11, 0.36, -0.17, -0.41, -0.61, -0.34, 0.25, -0.42, 0,
];
const useInTalk: readonly number[] = [
  -0.75, 0.46, -0.43, 0.32, 0.42, 0, 0, 0, -0.15, 0.6, 0, 0.32, -0.04, 0.12, -0.08, 0.02, 0.42, 0.14, 0.04, 0.32, 0.21,
  -0.09, -0.23, -0.22, 0.03, -0.31, 0.05, 0.08, 0.1, 0,
];
const answer: readonly number[] = [
  -7.3, 3.03, 0.93, 0.9, 0.86, -1.07, 0.11, 0.1, -0.71, 0.44, 1.32, 0.59, -0.32, 0.29, 0.43, -1.15, 1.5, 0.91,
];
/** The tables of use end with a weight for each kind of exact thing. */
export function expectedUse(features: readonly number[], kind: number, calls: boolean): number {
  const table = calls ? use : useInTalk;
  return logistic(table, features, table[features.length + kind]);
}
export function expectedAnswer(features: readonly number[]): number {
  return logistic(answer, features);
}
function logistic(table: readonly number[], features: readonly number[], base = 0): number {
  let sum = base;
  for (let i = 0; i < features.length; i++) sum += table[i]! * features[i]!;
  return 1 / (1 + Math.exp(-sum));
}
