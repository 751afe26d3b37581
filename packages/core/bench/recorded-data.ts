import { existsSync } from "node:fs";
import { join } from "node:path";

/** Real conversations, read in place; they are not part of the project. */
export const dataFolder = process.env.MIDFOLD_DATA ?? join(import.meta.dirname, "../../../../shared/data");

export function hasData(): boolean {
  return existsSync(join(dataFolder, "README.md"));
}
