// npm run faults:gateway: groups A, B, C, E and F of the fault checklist, a line each.
import type { Check } from "./check.ts";
import { textChecks } from "./group-a-text.ts";
import { clientChecks } from "./group-b-client.ts";
import { upstreamChecks } from "./group-c-upstream.ts";
import { securityChecks } from "./group-e-security.ts";
import { operationChecks } from "./group-f-operation.ts";

const wanted = process.argv.slice(2);
const checks: readonly Check[] = [
  ...textChecks,
  ...clientChecks,
  ...upstreamChecks,
  ...securityChecks,
  ...operationChecks,
].filter(
  ({ id }) => wanted.length === 0 || wanted.some((want) => id === want || (want.length === 1 && id.startsWith(want))),
);

const failed: string[] = [];
for (const { id, fault, run } of checks) {
  const startedAt = performance.now();
  let line: string;
  try {
    line = `pass  ${await withLimit(run(), 120_000)}`;
  } catch (error) {
    failed.push(id);
    line = `FAIL  ${error instanceof Error ? error.message : String(error)}`;
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${id.padEnd(4)} ${fault.padEnd(52)} ${seconds.padStart(5)}s  ${line}`);
}
console.log(
  `RESULT ${JSON.stringify({ faults: "gateway", checks: checks.length, passed: checks.length - failed.length, failed })}`,
);
process.exit(failed.length === 0 ? 0 : 1);

function withLimit<TValue>(work: Promise<TValue>, limitMs: number): Promise<TValue> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not finished after ${limitMs} ms`)), limitMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
