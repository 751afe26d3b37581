import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { CliContext } from "../context.ts";
import { runCli } from "../run-cli.ts";

/** Starts `midfold serve` on a free port, stops it as soon as it is up, and returns everything it printed. */
async function serveOnce(env: Readonly<Record<string, string>>): Promise<{ code: number; out: string; log: string }> {
  let out = "";
  let log = "";
  let stop = () => {};
  const context: CliContext = {
    env,
    cwd: import.meta.dirname,
    stdin: Readable.from([]),
    write: (text) => {
      out += text;
    },
    warn: (text) => {
      log += text;
    },
    isTerminal: true,
    canAsk: false,
    onSignal: (handler) => {
      stop = () => handler("SIGTERM");
      // After the banner and the warnings are printed.
      setImmediate(() => stop());
    },
    onCrash: () => undefined,
    exit: () => undefined,
  };
  const code = await runCli(["serve", "--port", "0", "--database", "none"], context);
  return { code, out, log };
}

test("a warning at startup says that compression is disabled globally", async () => {
  const off = await serveOnce({ DISABLE_CONTEXT_COMPRESSION: "true" });
  expect(off.code).toBe(0);
  expect(off.out).toMatch(/http:\/\/127\.0\.0\.1:\d+/);
  expect(off.log).toMatch(/warn .*disabled by DISABLE_CONTEXT_COMPRESSION/);
  expect((await serveOnce({})).log).not.toContain("DISABLE_CONTEXT_COMPRESSION");
});
