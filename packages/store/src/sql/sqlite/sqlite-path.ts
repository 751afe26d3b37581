import { fileURLToPath } from "node:url";

/** The file a URL names, or `undefined` when the URL is not one of SQLite. */
export function sqlitePath(url: string): string | undefined {
  if (url.startsWith("file:")) return fileURLToPath(url);
  if (url.startsWith("sqlite:")) return url.slice("sqlite:".length).replace(/^\/\/(?=\/)/, "");
  return undefined;
}
