import type { TroubleKind } from "../dialect-traits.ts";

/** An error of SQLite with its result code, as it came out of the worker thread. */
export class SqliteTrouble extends Error {
  override readonly name = "SqliteTrouble";
  /** The extended result code; 0 when the connection is closed. */
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

/** By primary result code, which is the low byte of the extended one. */
const kinds: Readonly<Record<number, TroubleKind>> = {
  5: "transient", // busy
  6: "transient", // locked
  8: "unsafe", // read-only
  10: "unavailable", // input/output
  11: "corrupt",
  13: "full",
  14: "unsafe", // cannot open
  26: "corrupt", // not a database
};

const duplicateKey = new Set([1555, 2067]);

export function sqliteTroubleOf(error: unknown): TroubleKind | undefined {
  if (!(error instanceof SqliteTrouble)) return undefined;
  if (error.code === 0) return "unavailable";
  return duplicateKey.has(error.code) ? "duplicate" : kinds[error.code & 0xff];
}
