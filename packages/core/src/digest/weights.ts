/** Learned by `scripts/train-weights.ts` from recorded conversations. */
const use: readonly number[] = [
  -0.4, 0.2, -0.2, -0.18, -0.11, 0.17, 0.08, -0.51, 0.19, 0.05, -0.14, -0.23, 1.33, 0.3, 0.22, 0.02, -0.03, -1.06,
  -0.32, 0.91, -0.16, -0.03, -0.14, -0.18, -0.85, -0.3, 0.48, 0.95, -0.74, 0.54, 1.12, -0.43, -0.31, -1.02, -0.25, 0.32,
  -0.67, 0,
];
const useInTalk: readonly number[] = [
  -3.77, 0.5, -0.48, -0.6, 0.56, 0, 0, 0, 0, 0, 0.22, 0.03, 0.91, 0.42, 0, -0.01, 0, 0.77, 0.06, 0.36, 0.04, 0.03, 0,
  0.61, 0.56, 0.43, -0.63, 0.18, 0, -0.05, -0.11, -0.65, -0.28, -0.12, 0.72, 0.32, 0.61, 0,
];
const answer: readonly number[] = [
  -5.62, 0.75, 1.81, -0.45, 0.7, 0.64, -0.77, -0.16, 0.67, -0.85, 0.3, 0.31, -0.54, 1.26, 0.42, -0.32,
];
export function expectedUse(features: readonly number[], calls: boolean): number {
  return logistic(calls ? use : useInTalk, features);
}
export function expectedAnswer(features: readonly number[]): number {
  return logistic(answer, features);
}
function logistic(table: readonly number[], features: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < table.length; i++) sum += table[i]! * features[i]!;
  return 1 / (1 + Math.exp(-sum));
}
