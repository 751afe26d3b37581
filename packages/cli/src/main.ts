#!/usr/bin/env node
import { stdin, stdout } from "node:process";
import { runCli } from "./run-cli.ts";

// The only place that reads the process: everything below is told.
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin,
  write: (text) => stdout.write(text),
  warn: (text) => process.stderr.write(text),
  isTerminal: stdout.isTTY === true,
  onSignal: (handler) => {
    process.on("SIGINT", handler);
    process.on("SIGTERM", handler);
  },
  onCrash: (handler) => {
    process.on("uncaughtException", handler);
    process.on("unhandledRejection", handler);
  },
  exit: (code) => process.exit(code),
});
