import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Running, startProcess } from "./start-process.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");

/** Installs the peer on first use; undefined, with a reason, when that is not possible here. */
export async function startPortkey(upstreamPort: number): Promise<Running | string> {
  if (!existsSync(program)) {
    const done = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: folder,
    });
    if (done.status !== 0 || !existsSync(program)) return "its packages could not be installed here";
  }
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  try {
    const running = await startProcess([program, `--port=${port}`, "--headless"], {
      env: { TRUSTED_CUSTOM_HOSTS: "127.0.0.1,localhost", HOME: folder },
      ready: new RegExp(`(${port})`),
    });
    void upstreamPort;
    return running;
  } catch (error) {
    return error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  }
}
