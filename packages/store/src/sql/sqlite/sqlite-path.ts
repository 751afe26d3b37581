import { fileURLToPath } from "node:url";
import { MidfoldError } from "@midfold/core";

/** The file a URL names, or `undefined` when the URL is not one of SQLite. Throws where it asks for no file at all. */
export function sqlitePath(url: string): string | undefined {
  const path = pathIn(url);
  // SQLite's word for a database in memory. Each of our connections is in a thread of its own and would have another one.
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
