import type { Readable } from "node:stream";
import type { Environment } from "@midfold/server";

/** Everything a command may touch outside itself. */
export interface CliContext {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: Readable;
  /** Results, for pipes. */
  write(text: string): void;
  /** Everything else. */
  warn(text: string): void;
  readonly isTerminal: boolean;
  onSignal(handler: () => void): void;
  onCrash(handler: (error: unknown) => void): void;
  exit(code: number): void;
}
