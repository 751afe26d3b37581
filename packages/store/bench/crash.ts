// `npm run crash`: kills processes that append and fold, and counts what was lost. CRASH_KILLS sets how many.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../src/testing/start-postgres.ts";
import { bundleChild } from "./bundle-child.ts";
import { type LaneReport, runCrashLane } from "./crash-lane.ts";
import { printTable } from "./print-table.ts";

const kills = Number(process.env.CRASH_KILLS ?? 1000);
const clientKills = Math.max(1, Math.round(kills / 10));
const serverCrashEvery = Math.max(1, Math.round(clientKills / 5));
const lanes = 2;
const folder = mkdtempSync(join(tmpdir(), "midfold-crash-"));
const child = await bundleChild("crash-child", join(folder, "child"));
const server = await startPostgres({ durable: true });
const started = performance.now();
let done = 0;
const onKill = () => {
  done++;
  if (done % 100 === 0) console.log(`${done} kills after ${Math.round((performance.now() - started) / 1000)} s`);
};

try {
  const sqlite = Array.from({ length: lanes }, (_, index) =>
    runCrashLane({ child, url: `sqlite:${join(folder, `${index}.db`)}`, kills: Math.ceil(kills / lanes), onKill }),
  );
  let serverCrashes = 0;
  const postgres = runCrashLane({
    child,
    url: await server.createDatabase(),
    kills: clientKills,
    onKill,
    async between(kill) {
      if (kill % serverCrashEvery !== 0) return;
      await server.crash();
      serverCrashes++;
    },
  });
  const reports = await Promise.all([...sqlite, postgres]);
  const seconds = (performance.now() - started) / 1000;
  const row = (name: string, report: LaneReport) => ({
    database: name,
    "kill -9": report.kills,
    "before first ack": report.early,
    "messages acked": report.messages,
    "summaries acked": report.summaries,
    "undos acked": report.undone,
    violations: report.violations.length,
  });
  printTable([
    ...reports.slice(0, lanes).map((report, index) => row(`SQLite ${index + 1}`, report)),
    row(`PostgreSQL (+ ${serverCrashes} server crashes)`, reports[lanes]!),
  ]);
  const violations = reports.flatMap((report) => report.violations);
  for (const violation of violations.slice(0, 20)) console.log(`VIOLATION ${violation}`);
  const total = (pick: (report: LaneReport) => number) => reports.reduce((sum, report) => sum + pick(report), 0);
  const result = {
    kills: total((report) => report.kills),
    serverCrashes,
    acknowledgedMessages: total((report) => report.messages),
    acknowledgedSummaries: total((report) => report.summaries),
    violations: violations.length,
    seconds: Math.round(seconds),
  };
  console.log(`RESULT ${JSON.stringify(result)}`);
  process.exitCode = violations.length === 0 && result.acknowledgedSummaries > 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
