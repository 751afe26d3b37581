import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createToolLoop, type SimulatedProtocol, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { type Agent, task } from "./agent.ts";
import { isClientSummary } from "./is-client-summary.ts";
import type { Manner, Options, Way } from "./options.ts";
import { runProcess } from "./run-process.ts";
import { startMidfold } from "./start-midfold.ts";
import { writeWorkspace } from "./write-workspace.ts";

export interface LoopRun {
  readonly agent: Agent;
  readonly way: Way;
  readonly upstream: SimulatedProtocol;
  readonly window: number;
  readonly manner: Manner;
  /** Midfold's preset, where the client goes through it. */
  readonly preset?: string;
}

export interface LoopRow {
  readonly agent: string;
  readonly way: Way;
  readonly upstream: SimulatedProtocol;
  readonly window: number;
  readonly manner: Manner;
  readonly preset?: string;
  readonly turns: number;
  /** The loop came to its own end. */
  readonly finished: boolean;
  /** What the client itself reported; undefined when it had to be stopped. */
  readonly exitCode: number | undefined;
  readonly overflows: number;
  readonly invalid: number;
  /** The first refusals, for the reader. */
  readonly problems: readonly string[];
  readonly clientSummaries: number;
  /** Steps that the model had to take without the user's own words in front of it. */
  readonly withoutTask: number;
  readonly requests: number;
  /** New folds that Midfold made. */
  readonly folds: number;
  readonly largestInput: number;
  /** Share of the input that a provider would have billed as cached. */
  readonly cachedShare: number;
  /** Input per turn in tokens, what was cached at a tenth. */
  readonly costPerTurn: number;
  readonly seconds: number;
  readonly output: string;
}

/** Today's Claude models spend about 1.6 tokens where o200k_base spends one. */
const usualScale: Readonly<Record<SimulatedProtocol, number>> = {
  "anthropic-messages": 1.6,
  "openai-chat": 1,
  "openai-responses": 1,
};

function mannerOf(manner: Manner, upstream: SimulatedProtocol): Partial<SimulatorOptions> {
  switch (manner) {
    case "exact":
      return {};
    case "sum":
      return { flavour: upstream === "anthropic-messages" ? "anthropic-with-output" : "vllm" };
    case "truncate":
      return { flavour: "ollama" };
    case "uncached":
      return { billing: "uncached" };
  }
}

/** Drives one client through the scripted loop against one enforced window, and reads off what happened. */
export async function runLoop(run: LoopRun, options: Options): Promise<LoopRow> {
  const { agent, way, upstream, window, manner, preset } = run;
  const folder = mkdtempSync(join(tmpdir(), "midfold-e2e-"));
  const home = join(folder, "home");
  const workspace = join(folder, "workspace");
  for (const path of [home, workspace]) mkdirSync(path);
  const command = writeWorkspace(workspace, options.turns, options.resultTokens);
  const loop = createToolLoop({
    turns: options.turns,
    call: (turn, tools) => agent.shellCall(tools, command(Math.min(turn, options.turns - 1))),
    isAside: isClientSummary,
  });
  let withoutTask = 0;
  const simulator = await startSimulator({
    protocol: upstream,
    window,
    countScale: options.countScale ?? usualScale[upstream],
    laterSystem: true,
    ...mannerOf(manner, upstream),
    script(turn) {
      const isStep = agent.shellCall(turn.tools, "") !== undefined && !isClientSummary(turn);
      if (isStep && !turn.messages.some((message) => message.text.includes(task))) withoutTask += 1;
      return loop.script(turn);
    },
  });
  let midfold: Awaited<ReturnType<typeof startMidfold>> | undefined;
  try {
    if (preset !== undefined) {
      midfold = await startMidfold({
        folder: join(folder, "gateway"),
        upstreamUrl: simulator.url,
        protocol: upstream,
        window: options.untold ? undefined : window,
        preset,
      });
    }
    const [spoken = upstream] = agent.protocols;
    const launch = agent.launch({
      installed: options.installed ?? "",
      home,
      workspace,
      url: midfold?.url ?? simulator.url,
      protocol: way === "midfold" ? spoken : upstream,
      window,
      told: way === "told",
    });
    const { exitCode, output, seconds } = await runProcess(launch, workspace, options.timeoutMs);
    const outcomes = simulator.requests.map((request) => request.outcome);
    const inputs = outcomes.reduce((sum, outcome) => sum + (outcome.inputTokens ?? 0), 0);
    const cached = outcomes.reduce((sum, outcome) => sum + (outcome.cachedTokens ?? 0), 0);
    return {
      agent: agent.name,
      way,
      upstream,
      window,
      manner,
      ...(preset === undefined ? {} : { preset }),
      turns: loop.completed(),
      finished: loop.closed(),
      exitCode,
      overflows: simulator.counts.overflows + simulator.counts.truncated,
      invalid: simulator.counts.invalid,
      problems: outcomes
        .flatMap((outcome) => outcome.problem ?? [])
        .filter((problem) => !problem.startsWith("Invalid URL"))
        .slice(0, 3),
      clientSummaries: loop.asides().filter(isClientSummary).length,
      withoutTask,
      requests: simulator.counts.requests,
      folds: midfold === undefined ? 0 : await midfold.folds(),
      largestInput: Math.max(0, ...outcomes.map((outcome) => outcome.inputTokens ?? 0)),
      cachedShare: inputs === 0 ? 0 : cached / inputs,
      costPerTurn: Math.round((inputs - 0.9 * cached) / Math.max(1, loop.completed())),
      seconds,
      output: midfold === undefined ? output : `${output}\n--- midfold ---\n${midfold.output()}`,
    };
  } finally {
    await midfold?.stop();
    await simulator.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
