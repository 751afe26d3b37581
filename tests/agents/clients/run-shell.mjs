// What every client below shares: the tool that prints a note, and what the runner passes in.
import { execFileSync } from "node:child_process";

export const { MIDFOLD_TASK: task = "", MIDFOLD_URL: url = "", MIDFOLD_MODEL_NAME: model = "sim-model" } = process.env;
export const key = "sk-loopback";
export const steps = 400;
export const description = "Runs a shell command and returns what it prints";
export const schema = {
  type: "object",
  properties: { command: { type: "string" } },
  required: ["command"],
  additionalProperties: false,
};

/** Runs a command of the scripted loop. */
export function runShell({ command }) {
  return execFileSync("sh", ["-c", command], { encoding: "utf8" });
}
