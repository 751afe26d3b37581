// `npm run race`: 32 requests at once find one session over its threshold; one summary must come of it. RACE_ROUNDS sets
// how many rounds there are with one process, and again with two.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type OwnerStore, openStore } from "../src/index.ts";
import { startPostgres } from "../src/testing/start-postgres.ts";
import { bundleChild } from "./bundle-child.ts";
import { printTable } from "./print-table.ts";
import { type RoundReport, raceCallers } from "./race-callers.ts";

/** Per number of processes; half of them on either database. */
const rounds = Math.ceil(Number(process.env.RACE_ROUNDS ?? 1000) / 2);
const callers = 32;
const history = 12;
const ownerName = "race";

interface LineReport {
  readonly database: string;
  readonly processes: number;
  readonly rounds: number;
  readonly summaries: number;
  readonly messages: number;
  readonly lost: number;
  readonly violations: readonly string[];
  readonly seconds: number;
}

async function runLine(database: string, url: string, child: string | undefined): Promise<LineReport> {
  const started = performance.now();
  const store = await openStore({ url, maxConnections: 8 });
  const owner = store.of(ownerName);
  const second = child === undefined ? undefined : fork(child, [url, ownerName]);
  if (second !== undefined) await once(second, "message");
  const violations: string[] = [];
  let summaries = 0;
  let messages = 0;
  let lost = 0;
  // Two rounds at a time: while one waits for its lease, the other works.
  const runRounds = async (first: number) => {
    for (let round = first; round < rounds; round += 2) {
      const sessionId = await createHistory(owner);
      const reports = await runRound(owner, second, { round, sessionId });
      const { messages: stored } = await owner.messages.totals(sessionId);
      const versions = await owner.snapshots.summaries(sessionId);
      const { messages: after } = await owner.context.read(sessionId);
      const made = reports.reduce((sum, report) => sum + report.made, 0);
      summaries += made;
      messages += stored;
      lost += history + callers - stored;
      violations.push(...reports.flatMap((report) => report.failures));
      if (made !== 1 || versions.length !== 1) violations.push(`round ${round}: ${made} made, ${versions.length} kept`);
      if (after.length !== history + callers - 10)
        violations.push(`round ${round}: ${after.length} messages in context`);
    }
  };
  await Promise.all([runRounds(0), runRounds(1)]);
  violations.push(...(await store.check()));
  second?.disconnect();
  await store.close();
  const seconds = (performance.now() - started) / 1000;
  return { database, processes: second === undefined ? 1 : 2, rounds, summaries, messages, lost, violations, seconds };
}

async function createHistory(owner: OwnerStore): Promise<string> {
  const { id } = await owner.sessions.create();
  const text = (index: number) => [{ type: "text" as const, text: `history ${index}` }];
  await owner.messages.append(
    id,
    Array.from({ length: history }, (_, index) => ({ role: "user" as const, parts: text(index) })),
  );
  return id;
}

async function runRound(
  owner: OwnerStore,
  second: ChildProcess | undefined,
  { round, sessionId }: { readonly round: number; readonly sessionId: string },
): Promise<readonly RoundReport[]> {
  if (second === undefined) return [await raceCallers(owner, sessionId, { callers, name: "a" })];
  const other = new Promise<RoundReport>((resolve) => {
    const listen = (answer: { readonly round: number; readonly report: RoundReport }) => {
      if (answer.round !== round) return;
      second.off("message", listen);
      resolve(answer.report);
    };
    second.on("message", listen);
  });
  second.send({ round, sessionId, callers: callers / 2 });
  return Promise.all([raceCallers(owner, sessionId, { callers: callers / 2, name: "a" }), other]);
}

const folder = mkdtempSync(join(tmpdir(), "midfold-race-"));
const child = await bundleChild("race-child", join(folder, "child"));
const server = await startPostgres();
try {
  const lines: LineReport[] = [];
  for (const second of [undefined, child]) {
    lines.push(await runLine("SQLite", `sqlite:${join(folder, `${lines.length}.db`)}`, second));
    lines.push(await runLine("PostgreSQL", await server.createDatabase(), second));
    console.log(`${lines.length} of 4 lines done`);
  }
  printTable(
    lines.map(({ violations, seconds, ...line }) => ({
      ...line,
      violations: violations.length,
      seconds: seconds.toFixed(0),
    })),
  );
  const violations = lines.flatMap((line) => line.violations);
  for (const violation of violations.slice(0, 20)) console.log(`VIOLATION ${violation}`);
  const lost = lines.reduce((sum, line) => sum + line.lost, 0);
  const result = {
    rounds: lines.reduce((sum, line) => sum + line.rounds, 0),
    callers,
    summaries: lines.reduce((sum, line) => sum + line.summaries, 0),
    lost,
    violations: violations.length,
  };
  console.log(`RESULT ${JSON.stringify(result)}`);
  process.exitCode = violations.length === 0 && lost === 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
