/** Learned by `npm run train` from recorded conversations. */
const table: readonly number[] = [
  -1.65, 0.16, -0.34, -0.18, 0.36, 0.6, 0.21, 0.07, 0.35, -0.04, 0.03, -0.17, 0.9, -0.42, 0.31, -0.64, -0.11, -0.76,
  0.32, 0.86, -0.11, -0.02, 0.05, 0.15, 0.71, 0.11, 0.68, 0.88, 0.35, -0.34, 0.06, -0.73, -0.16, -0.71, 0.05, 0.09,
  -0.18, 0,
];
export function expectedUse(features: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < table.length; i++) sum += table[i]! * features[i]!;
  return 1 / (1 + Math.exp(-sum));
}
