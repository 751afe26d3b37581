/** Learned by `scripts/train-weights.ts` from recorded conversations. */
const use: readonly number[] = [
  -0.39, 0.11, -0.21, 0.3, -0.11, 0.25, 0.13, -0.19, -0.14, -0.25, 0.74, 0.08, 0.41, 0.08, -0.61, -0.22, 0.34, -0.05,
  0.13, -0.24, -0.23, 0.64, 0.77, -0.2, 0.12, 0.39, -0.17, -0.4, -0.62, -0.33, 0.24, -0.48, 0.06,
];
const useInTalk: readonly number[] = [
  -1.16, 0.4, -0.42, 0.03, 0.63, 0, 0, 0, -0.06, -0.19, 0.48, 0.01, 0, 0.05, 0.42, -0.04, 0.05, -0.18, -0.11, 0.63,
  0.22, 0.05, 0.32, 0.09, -0.06, -0.16, -0.27, 0.07, -0.36, 0.06, 0.18, 0.16, -0.08,
];
const answer: readonly number[] = [
  -5.77, 0.79, 2.17, -0.35, 0.84, 0.49, -0.97, -0.34, 0.66, -1.2, 0.26, 0.34, -0.82, 1.39, 0.58, -0.14,
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
