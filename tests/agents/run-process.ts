import { spawn } from "node:child_process";
import type { Launch } from "./agent.ts";

export interface ProcessResult {
  /** Undefined when it had to be stopped. */
  readonly exitCode: number | undefined;
  /** The last few thousand characters of both outputs. */
  readonly output: string;
  readonly seconds: number;
}

/** Runs a program to its end, or stops it and its children after the time. */
export async function runProcess(launch: Launch, cwd: string, timeoutMs: number): Promise<ProcessResult> {
  const startedAt = performance.now();
  const child = spawn(launch.command, launch.args, {
    cwd,
    // Nothing of the caller's environment but the path: no proxies, no keys, no configuration.
    env: { PATH: process.env.PATH ?? "", LANG: "C.UTF-8", TERM: "dumb", ...launch.env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-8_000);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  let stopped = false;
  const timer = setTimeout(() => {
    stopped = true;
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  }, timeoutMs);
  const exitCode = await new Promise<number | null>((resolve) => {
    child.on("error", (error) => {
      output += String(error);
      resolve(-1);
    });
    child.on("close", resolve);
  });
  clearTimeout(timer);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { exitCode: stopped || exitCode === null ? undefined : exitCode, output, seconds };
}
