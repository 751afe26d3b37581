import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Running {
  readonly port: number;
  readonly process: ChildProcess;
  /** Resident memory in megabytes. */
  memory(): number;
  /** Microseconds of processor time used so far, by all threads. */
  cpu(): number;
  /** Whether it is no longer running. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** Starts a Node program and waits for the line that names its port. */
export async function startProcess(
  args: readonly string[],
  options: { readonly env?: Record<string, string>; readonly ready: RegExp; readonly cwd?: string },
): Promise<Running> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    const look = (chunk: Buffer) => {
      output += chunk.toString();
      const found = options.ready.exec(output)?.[1];
      if (found !== undefined) resolve(Number(found));
    };
    child.stdout.on("data", look);
    child.stderr.on("data", look);
    child.on("exit", () => reject(new Error(`${args[0]} ended before it was ready:\n${output}`)));
    setTimeout(() => reject(new Error(`${args[0]} was not ready in time:\n${output}`)), 30_000).unref();
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // Nobody reads the rest; it must not fill the pipe.
  child.stdout.removeAllListeners("data").resume();
  child.stderr.removeAllListeners("data").resume();
  return {
    port,
    process: child,
    memory: () => {
      if (hasEnded()) return Number.NaN;
      const pages = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1];
      return Math.round(Number(pages ?? 0) / 1024);
    },
    cpu: () => {
      if (hasEnded()) return Number.NaN;
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
      // Fields 14 and 15: user and system time, in ticks of ten milliseconds.
      return (Number(fields[11]) + Number(fields[12])) * 10_000;
    },
    hasEnded,
    stop: async () => {
      if (hasEnded()) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
    },
  };
}
