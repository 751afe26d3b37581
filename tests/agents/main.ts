// Real coding agents, offline, through a long tool loop against small windows: by themselves and through Midfold.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent } from "./agent.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { commandClients } from "./command-clients.ts";
import { goOffline, isOffline } from "./go-offline.ts";
import { installAgents } from "./install-agents.ts";
import { opencode } from "./opencode.ts";
import { type Manner, nameOfUpstream, type Options, readOptions, usage } from "./options.ts";
import { nameOfWay, printComparison, printTable } from "./print-table.ts";
import { type LoopRow, type LoopRun, runLoop } from "./run-loop.ts";
import { sdkClients } from "./sdk-clients.ts";

const agents: readonly Agent[] = [claudeCode, codex, opencode, ...commandClients, ...sdkClients];
/** An upstream that counts the answer against its window has to say once how it counts. */
const allowedRefusals: Readonly<Record<Manner, number>> = { exact: 0, sum: 2, truncate: 0, uncached: 0 };
/** Refusals or silent cuts until a window that nobody told is known. */
const findingOut = 5;
const say = (text: string) => process.stdout.write(`${text}\n`);

const options = readOptions(process.argv.slice(2));
const chosen = agents.filter(
  (agent) =>
    options.agents.includes(agent.name) ||
    options.agents.includes("all") ||
    (options.agents.includes("sdk") && sdkClients.includes(agent)),
);
for (const name of options.agents)
  if (name !== "all" && name !== "sdk" && !agents.some((agent) => agent.name === name))
    throw new Error(`no client "${name}"; there are ${agents.map((agent) => agent.name).join(", ")}`);
if (options.help) say(`${usage}\n\nClients: ${agents.map(({ name }) => name).join(", ")}`);
else process.exitCode = isOffline() || options.online ? await runAll(options) : await prepareAndRun();

/** Installs with the network, then runs without it. */
async function prepareAndRun(): Promise<number> {
  const folder = options.installed ?? mkdtempSync(join(tmpdir(), "midfold-agents-"));
  try {
    const versions = await installAgents(folder, chosen);
    say(`clients: ${[...versions].map(([name, version]) => `${name} ${version}`).join(", ")}`);
    const code = goOffline([fileURLToPath(import.meta.url), ...process.argv.slice(2), "--installed", folder]);
    if (code !== undefined) return code;
    say("This machine does not allow network namespaces: running with the network reachable.");
    return await runAll({ ...options, installed: folder });
  } finally {
    if (options.installed === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function runAll(settings: Options): Promise<number> {
  if (settings.online && settings.installed !== undefined) await installAgents(settings.installed, chosen);
  const rows: LoopRow[] = [];
  for (const run of plan(settings)) {
    const row = await runLoop(run, settings);
    rows.push(row);
    const verdict = row.finished ? "finished" : "STOPPED";
    say(
      `${row.agent} ${nameOfWay(row)} ${nameOfUpstream(row.upstream)} ${row.manner} ${row.window}: ${verdict} after ${row.turns} turns, ${row.overflows} overflows, ${row.invalid} invalid`,
    );
    for (const problem of row.problems) say(`    ${problem}`);
    if (settings.verbose) say(row.output.replace(/^/gm, "    | "));
  }
  say(`\n${printTable(rows, settings.turns)}`);
  say(`\n${printComparison(rows)}`);
  // The other presets are there to be compared with.
  const failures = rows.filter((row) => row.preset === settings.presets[0] && !isClean(row, settings.turns));
  for (const { agent, upstream, manner, window } of failures)
    say(`not clean: ${agent} ${upstream} ${manner} ${window}`);
  const report = rows.map(({ output: _, ...row }) => row);
  say(
    `RESULT ${JSON.stringify({ ok: failures.length === 0, failures: failures.length, turns: settings.turns, rows: report })}`,
  );
  return failures.length === 0 ? 0 : 1;
}

function isClean(row: LoopRow, turns: number): boolean {
  const isWhole = row.finished && row.turns === turns && row.exitCode === 0;
  const allowed = options.untold ? findingOut : allowedRefusals[row.manner];
  return isWhole && row.overflows <= allowed && row.invalid === 0 && row.withoutTask === 0;
}

/** By itself a client can only reach what it speaks; through Midfold it reaches every upstream. */
function plan({ ways, upstreams, windows, presets, manners }: Options): LoopRun[] {
  return chosen.flatMap((agent) =>
    ways.flatMap((way) =>
      upstreams
        .map((upstream) => (upstream === "own" ? agent.protocols[0]! : upstream))
        .filter((upstream) => way === "midfold" || agent.protocols.includes(upstream))
        .flatMap((upstream) => windows.map((window) => ({ agent, way, upstream, window })))
        .flatMap((run) => manners.map((manner) => ({ ...run, manner })))
        .flatMap((run): LoopRun[] => (way === "midfold" ? presets.map((preset) => ({ ...run, preset })) : [run])),
    ),
  );
}
