import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { engineFlags } from "./tune-memory.ts";

const file = fileURLToPath(new URL("./tune-memory.ts", import.meta.url));

/** What the engine says of its plans to collect at rest, after a load that filled its memory. */
function plansAtRest(before: string): string {
  const program = `
    import { tuneMemory } from ${JSON.stringify(file)};
    ${before}
    let load;
    for (let round = 0; round < 30; round++) load = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    load = undefined;
    setTimeout(() => console.log("done"), 2_000);
  `;
  const flags = ["--trace-memory-reducer", "--gc-memory-reducer-start-delay-ms=100", "--input-type=module"];
  return spawnSync(process.execPath, [...flags, "--eval", program], { encoding: "utf8" }).stdout;
}

// The settings are for the engine of Node 24 alone.
const isTuned = process.versions.v8.startsWith("13.");

it.runIf(isTuned)(
  "keeps the engine from collecting, and with it from dropping compiled code, after a short rest",
  () => {
    const collects = /Memory reducer: (waiting|started)/;
    expect(plansAtRest("")).toMatch(collects);
    const tuned = plansAtRest("tuneMemory();");
    expect(tuned).toMatch(/Memory reducer: (low|high) alloc/);
    expect(tuned).not.toMatch(collects);
    expect(tuned).toContain("done");
  },
);

it("leaves that alone in a process that may be collecting just then, which would end it", () => {
  expect(engineFlags(1)).toContain("--memory-reducer-gc-count=0");
  expect(engineFlags(60).join(" ")).not.toContain("memory-reducer");
});

it("is all there is: no start command sets the engine otherwise than another", () => {
  const root = new URL("../../../", import.meta.url);
  const starts = ["package.json", "deploy/Dockerfile", "deploy/midfold.service", "bench/gateway/main.ts"];
  for (const path of [...starts, "packages/server/scripts/attack/stage.ts"]) {
    expect([path, readFileSync(new URL(path, root), "utf8").match(/--max-\S*space\S*/)?.[0]]).toEqual([
      path,
      undefined,
    ]);
  }
});
