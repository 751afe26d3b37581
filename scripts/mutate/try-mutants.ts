/**
 * Stands in for `vitest` in the tests of a mutation run: each test is first run as it is, then once more with each change
 * that it reaches and that no test before it noticed. Starting a program for each change took ten seconds; a test that is
 * run again takes milliseconds.
 */
import { appendFileSync, readFileSync } from "node:fs";
import * as vitest from "vitest";
import { type JournalLine, killedIn } from "./journal.ts";

type Body = (...args: unknown[]) => unknown;

interface Switches {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}
/** `__run__` counts the runs of tests: what modules remember by object is forgotten between them. */
const global = globalThis as { __stryker__?: Switches; __tried__?: Tried; __run__?: number };
global.__stryker__ ??= {};
const switches = global.__stryker__;

interface Tried {
  killed: Set<string>;
  finished: Set<string>;
  /** Milliseconds spent on each change that nothing noticed yet. */
  spent: Map<string, number>;
}
/** A change that went unnoticed for so long is left: the figure is never better than the true one. */
const patience = Number(process.env.MIDFOLD_MUTATE_PATIENCE_MS ?? 3000);
const journal = process.env.MIDFOLD_MUTATE_JOURNAL as string;
/** What a run before this one found: it was stopped by a change that never ended. */
global.__tried__ ??= readJournal();
const tried = global.__tried__;

function readJournal(): Tried {
  const lines = readFileSync(journal, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as JournalLine);
  const spent = new Map<string, number>();
  for (const { unnoticed, ms = 0 } of lines) {
    if (unnoticed !== undefined) spent.set(unnoticed, (spent.get(unnoticed) ?? 0) + ms);
  }
  return {
    killed: killedIn(lines),
    finished: new Set(lines.flatMap(({ finished }) => finished ?? [])),
    spent,
  };
}

const write = (line: JournalLine) => appendFileSync(journal, `${JSON.stringify(line)}\n`);
write({ atLoad: Object.keys(switches.mutantCoverage?.static ?? {}) });

function tryMutants(body: Body): Body {
  const wrapped = async function (this: unknown, ...args: unknown[]) {
    const { testPath, currentTestName } = vitest.expect.getState();
    const name = `${testPath}#${currentTestName}`;
    if (tried.finished.has(name)) return;
    switches.activeMutant = undefined;
    switches.currentTestId = name;
    const started = performance.now();
    global.__run__ = (global.__run__ ?? 0) + 1;
    await body.apply(this, args);
    const took = performance.now() - started;
    switches.currentTestId = undefined;
    const reached = switches.mutantCoverage?.perTest[name] ?? {};
    write({ covered: Object.keys(reached) });
    const killed: string[] = [];
    for (const [id, hits] of Object.entries(reached)) {
      const spent = tried.spent.get(id) ?? 0;
      if (tried.killed.has(id) || spent > patience) continue;
      write({ trying: id });
      switches.activeMutant = id;
      switches.hitCount = 0;
      // An endless loop is ended here, unless it is inside a regular expression.
      switches.hitLimit = hits * 5 + 10_000;
      const clock = startClock();
      const noticed = await fails(() => body.apply(this, args), took);
      switches.activeMutant = undefined;
      const ms = clock();
      tried.spent.set(id, spent + ms);
      // At once: should the next change never end, this run is stopped and another goes on from here.
      if (noticed) write({ killed: id, by: currentTestName ?? "", file: testPath ?? "" });
      else write({ unnoticed: id, ms });
      if (noticed) {
        killed.push(id);
        tried.killed.add(id);
      }
    }
    // What a module remembers may have been spoiled by a change; then the failures after it show nothing.
    if (killed.length > 0 && (await fails(() => body.apply(this, args), took))) {
      for (const id of killed) tried.killed.delete(id);
      write({ spoiled: killed, finished: name });
      return;
    }
    write({ finished: name });
  };
  return wrapped;
}

/** Milliseconds of work. Beside other programs a test takes longer, and changes would be given up that it notices. */
function startClock(): () => number {
  const begun = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    // A test that only waits takes no work; it counts all the same.
    return Math.max((user + system) / 1000, (performance.now() - begun) / 4);
  };
}

async function fails(run: () => unknown, took: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), 5000 + took * 10);
  });
  global.__run__ = (global.__run__ ?? 0) + 1;
  const outcome = (async () => {
    try {
      await run();
      return false;
    } catch {
      return true;
    }
  })();
  const failed = await Promise.race([outcome, late]);
  clearTimeout(timer);
  return failed;
}

type TestFunction = typeof vitest.it;
function wrap(real: TestFunction): TestFunction {
  const test = (name: string, ...rest: unknown[]) =>
    (real as unknown as Body)(
      name,
      ...rest.map((part) => (typeof part === "function" ? tryMutants(part as Body) : part)),
    );
  return Object.assign(test, {
    each:
      (...cases: unknown[]) =>
      (name: string, ...rest: unknown[]) =>
        (real.each as unknown as (...cases: unknown[]) => Body)(...cases)(
          name,
          ...rest.map((part) => (typeof part === "function" ? tryMutants(part as Body) : part)),
        ),
    skip: real.skip,
    skipIf: (condition: boolean) => (condition ? real.skip : test),
    runIf: (condition: boolean) => (condition ? test : real.skip),
  }) as unknown as TestFunction;
}

export const it = wrap(vitest.it);
export const test = wrap(vitest.test);
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, vi } = vitest;
