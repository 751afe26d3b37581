import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { SimulatedProtocol } from "@midfold/testkit";

export interface MidfoldOptions {
  /** An empty folder for its configuration and database. */
  readonly folder: string;
  readonly upstreamUrl: string;
  readonly protocol: SimulatedProtocol;
  /** Undefined: it has to find out. */
  readonly window: number | undefined;
  readonly preset: string;
}

export interface RunningMidfold {
  readonly url: string;
  readonly output: () => string;
  /** How many new folds it has made. */
  readonly folds: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

const main = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));
const startMs = 60_000;

/** Starts the gateway as a person would: one command, one configuration file, a free port. */
export async function startMidfold(options: MidfoldOptions): Promise<RunningMidfold> {
  mkdirSync(options.folder, { recursive: true });
  const config = join(options.folder, "midfold.json");
  writeFileSync(config, JSON.stringify(configOf(options), null, 2));
  const child = spawn(process.execPath, [main, "serve", "--port", "0", "--config", config], {
    cwd: options.folder,
    env: { PATH: process.env.PATH ?? "", HOME: options.folder, LOOPBACK_KEY: "sk-loopback" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const exited = new Promise<void>((resolve) => child.on("close", () => resolve()));
  const deadline = performance.now() + startMs;
  for (;;) {
    const port = /https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):(\d+)/.exec(output)?.[1];
    const url = `http://127.0.0.1:${port}`;
    if (port !== undefined && (await isUp(url))) {
      const stop = async () => {
        child.kill("SIGTERM");
        const killer = setTimeout(() => child.kill("SIGKILL"), 10_000);
        await exited;
        clearTimeout(killer);
      };
      return { url, output: () => output, folds: () => countFolds(url), stop };
    }
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill("SIGKILL");
      throw new Error(`Midfold did not start:\n${output}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const isUp = (url: string) =>
  fetch(`${url}/health`).then(
    (response) => response.ok,
    () => false,
  );

async function countFolds(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const lines = metrics.matchAll(/^midfold_folds_total\{[^}]*outcome="folded"[^}]*\} (\d+)/gm);
  return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
}

function configOf({ upstreamUrl, protocol, window, preset, folder }: MidfoldOptions) {
  const upstream = {
    provider: protocol === "anthropic-messages" ? "anthropic" : "generic",
    protocol,
    baseUrl: protocol === "anthropic-messages" ? upstreamUrl : `${upstreamUrl}/v1`,
    apiKeyEnv: "LOOPBACK_KEY",
    privateNetwork: true,
  };
  return {
    server: { database: `sqlite:${join(folder, "midfold.db")}`, logLevel: "warn" },
    upstreams: { loopback: upstream },
    routes: [{ model: "*", upstream: "loopback", window, preset }],
  };
}
