import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export interface ChildGateway {
  readonly url: string;
  readonly process: ChildProcess;
  readonly folder: string;
  output(): string;
  /** Resident memory in megabytes. */
  memory(): number;
  openFiles(): number;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
  stop(): Promise<void>;
}

export interface ChildOptions {
  readonly config?: object;
  readonly nodeArgs?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Leave the log unread, as a blocked log reader does. */
  readonly readLog?: boolean;
}

const main = fileURLToPath(new URL("../../../cli/src/main.ts", import.meta.url));

/** The gateway as a process of its own, started the way a person starts it. */
export async function startChild(options: ChildOptions = {}): Promise<ChildGateway> {
  const folder = mkdtempSync(join(tmpdir(), "midfold-faults-"));
  const file = join(folder, "midfold.yaml");
  writeFileSync(file, JSON.stringify({ server: { database: "none" }, ...options.config }));
  const child = spawn(
    process.execPath,
    [...(options.nodeArgs ?? []), main, "serve", "--port", "0", "--config", file, ...(options.args ?? [])],
    {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder, ...options.env },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let text = "";
  const take = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-200_000);
  };
  child.stdout.on("data", take);
  if (options.readLog !== false) child.stderr.on("data", take);
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const port = await new Promise<string>((resolve, reject) => {
    const timer = setInterval(() => {
      const found = /Midfold \S+\s+http:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found === undefined && child.exitCode === null) return;
      clearInterval(timer);
      if (found === undefined) reject(new Error(`The gateway ended at start:\n${text}`));
      else resolve(found);
    }, 20);
  });
  return {
    url: `http://127.0.0.1:${port}`,
    process: child,
    folder,
    output: () => text,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1] ?? 0) / 1024,
    openFiles: () => readdirSync(`/proc/${child.pid}/fd`).length,
    exited,
    stop: async () => {
      if (child.exitCode === null) child.kill("SIGKILL");
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const simConfig = (
  url: string,
  extra: { readonly server?: object; readonly route?: object; readonly deadlines?: object } = {},
) => ({
  server: { database: "none", logLevel: "warn", ...extra.server },
  upstreams: { sim: { baseUrl: `${url}/v1`, apiKeyEnv: "SIM_KEY", deadlines: extra.deadlines ?? {} } },
  routes: [{ model: "*", upstream: "sim", ...extra.route }],
});
