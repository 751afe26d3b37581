import type { Readable } from "node:stream";
import type { Environment } from "@midfold/server";
import type { Command } from "commander";

/** Everything a command may touch outside itself. */
export interface CliContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: Readable;
  /** For results, which can be piped. */
  write(text: string): void;
  /** For everything else. */
  warn(text: string): void;
  /** Whether a person watches standard output. */
  readonly isTerminal: boolean;
  /** Whether a person can be asked: standard input and standard error are both terminals. */
  readonly canAsk: boolean;
  onSignal(handler: (signal: NodeJS.Signals) => void): void;
  onCrash(handler: (error: unknown) => void): void;
  exit(code: number): void;
}

/** What a command gets in addition. */
export interface CommandContext extends CliContext {
  readonly version: string;
  /** The exit code when the command ends; 0 unless it is set. */
  setExit(code: number): void;
  /** The parser with every command and its options. */
  wholeProgram(): Promise<Command>;
}
