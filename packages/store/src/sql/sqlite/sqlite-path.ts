import { fileURLToPath } from "node:url";
import { MidfoldError } from "@midfold/core";

/** The file a URL names, or `undefined` when the URL is not one of SQLite. Throws for a database in memory. */
export function sqlitePath(url: string): string | undefined {
  const path = pathIn(url);
  // Each of our connections runs in its own thread and would see a different database in memory.
  if (path?.includes(":memory:") === true) {
    throw new MidfoldError(
      "VALIDATION_ERROR",
      "A database in memory (sqlite::memory:) is not possible. Name a file, or use none to run without a database.",
    );
  }
  return path;
}

function pathIn(url: string): string | undefined {
  if (url.startsWith("file:")) return fileURLToPath(url);
  if (url.startsWith("sqlite:")) return url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  return undefined;
}
