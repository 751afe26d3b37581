import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** The built web app, where `npm start` and the command look for it too. */
export const siteFolder = fileURLToPath(new URL("../../packages/web/dist", import.meta.url));

/** Builds the web app if its sources changed since the last build. */
export function buildSite(): void {
  const setup = fileURLToPath(new URL("../../scripts/setup.mjs", import.meta.url));
  execFileSync(process.execPath, [setup, "--build-only"], { stdio: "inherit" });
}

// Vitest calls this once before the first browser test.
export { buildSite as setup };
