#!/usr/bin/env node
import { stderr, stdin, stdout } from "node:process";
import { runCli } from "./run-cli.ts";

// `midfold inspect long.json | head` closes the pipe early; then there is nothing left to do.
for (const stream of [stdout, stderr]) {
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
}

// The only place that reads process globals; everything below gets them as parameters.
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin,
  write: (text) => stdout.write(text),
  warn: (text) => stderr.write(text),
  isTerminal: stdout.isTTY === true,
  canAsk: stdin.isTTY === true && stderr.isTTY === true,
  onSignal: (handler) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, handler);
  },
  onCrash: (handler) => {
    process.on("uncaughtException", handler);
    process.on("unhandledRejection", handler);
  },
  exit: (code) => process.exit(code),
});
