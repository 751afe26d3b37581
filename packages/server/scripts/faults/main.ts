// npm run faults:gateway: groups A, B, C, E and F of the fault checklist, a line each.
import type { Check } from "./check.ts";
import { jsonChecks } from "./group-a-json.ts";
import { textChecks } from "./group-a-text.ts";
import { connectionChecks } from "./group-b-connection.ts";
import { requestChecks } from "./group-b-request.ts";
import { answerChecks } from "./group-c-answer.ts";
import { failureChecks } from "./group-c-failure.ts";
import { accessChecks } from "./group-e-access.ts";
import { contentChecks } from "./group-e-content.ts";
import { pageChecks } from "./group-e-page.ts";
import { secretChecks } from "./group-e-secrets.ts";
import { operationChecks } from "./group-f-operation.ts";
import { runningChecks } from "./group-f-running.ts";

const wanted = process.argv.slice(2);
const all: readonly Check[] = [
  ...textChecks,
  ...jsonChecks,
  ...connectionChecks,
  ...requestChecks,
  ...failureChecks,
  ...answerChecks,
  ...accessChecks,
  ...secretChecks,
  ...contentChecks,
  ...pageChecks,
  ...runningChecks,
  ...operationChecks,
];
const isWanted = ({ id }: Check) => wanted.some((want) => id === want || (want.length === 1 && id.startsWith(want)));
const checks = all
  .filter((check) => wanted.length === 0 || isWanted(check))
  .toSorted((a, b) => a.id.localeCompare(b.id, "en", { numeric: true }));

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
