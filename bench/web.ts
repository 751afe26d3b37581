// The web app in a real Chromium: weight of the first load, time until it can be used, and scrolling a long history.
// npm run bench:web
import { loadavg } from "node:os";
import type { Page } from "playwright-core";
import { buildSite } from "../tests/web/build-site.ts";
import { importMessages } from "../tests/web/call-api.ts";
import { type Load, measureLoad } from "../tests/web/measure-load.ts";
import { openSite, type Site } from "../tests/web/open-site.ts";

const limits = { firstScreenKb: 200, readyMs: 500, taskMs: 50, paintMs: 1_000 };
const messageCount = 10_000;
const loads = 3;
/** Longer than the page waits before it fetches ahead. */
const idleMs = 3_000;
const passes = 2;
/** A message to read and a place to answer. */
const usable = ["textarea", "article"];
const framesPerWay = 250;

const code = "```ts\nexport const add = (left: number, right: number): number => left + right;\n```";
const conversation = Array.from({ length: messageCount }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Message ${i}. ${"Some words that take a little room on the line. ".repeat(1 + (i % 9))}${i % 10 === 1 ? `\n\n${code}\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |` : ""}`,
}));

const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

/** A mobile line that is neither good nor hopeless. */
const slowLine = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000, offline: false };

/** When something of the page is to be seen, on a slow line, with nothing in the cache. */
async function firstPaintMs(on: Site): Promise<number> {
  const page = await on.open("/healthz");
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  await network.send("Network.emulateNetworkConditions", slowLine);
  await page.goto(`${on.url}/`, { waitUntil: "commit" });
  const paint = await page.waitForFunction(
    () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? false,
  );
  const at = Number(await paint.jsonValue());
  await page.context().close();
  return at;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of processor time, which do not grow when others use the machine. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The most processor time one task of the page's main thread took. */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as { readonly traceEvents: readonly TraceEvent[] };
  const mains = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}.${tid}`),
  );
  const tasks = traceEvents.filter(
    ({ name, ph, pid, tid }) => name.endsWith("RunTask") && ph === "X" && mains.has(`${pid}.${tid}`),
  );
  if (tasks.length === 0) throw new Error("The trace has no tasks of the main thread.");
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

interface Frames {
  readonly frames: number;
  readonly longestMs: number;
  readonly over: number;
  readonly medianMs: number;
}

/** Scrolls one way, a good part of a screen per frame, and times every frame. */
function scroll(page: Page, step: number, frames: number): Promise<Frames> {
  return page.getByRole("region", { name: "Messages" }).evaluate(
    (list, [by, count]) =>
      new Promise<Frames>((resolve) => {
        const times: number[] = [];
        let last = performance.now();
        const tick = (now: number) => {
          times.push(now - last);
          last = now;
          list.scrollBy(0, by);
          if (times.length <= count) requestAnimationFrame(tick);
          else {
            const all = times.slice(1).sort((left, right) => left - right);
            resolve({
              frames: all.length,
              longestMs: all.at(-1) ?? 0,
              over: all.filter((time) => time > 50).length,
              medianMs: all[Math.floor(all.length / 2)] ?? 0,
            });
          }
        };
        requestAnimationFrame(tick);
      }),
    [step, frames] as const,
  );
}

buildSite();
const site = await openSite("server:\n  limits: { body: 64mb }\n").catch(() => openSite());
try {
  const sessionId = await importMessages(site.url, "Ten thousand", conversation, "midfold-demo-32k");
  const path = `/s/${sessionId}`;
  const short = await importMessages(site.url, "Short", conversation.slice(2, 8));
  // The page a newcomer sees, and one with a conversation in it.
  const home = await measureLoad(site, "/", ["h2"]);
  const talk = await measureLoad(site, `/s/${short}`, usable);
  const measured: Load[] = [];
  for (let run = 0; run < loads; run += 1) {
    const load = await measureLoad(site, path, usable);
    measured.push(load);
    await load.page.waitForTimeout(idleMs);
  }
  const totalKb = median(await Promise.all(measured.map((load) => load.allKb())));
  const readyMs = median(measured.map((load) => load.readyMs));
  for (const load of [home, talk, ...measured]) await load.page.context().close();
  const paintMs = await firstPaintMs(site);

  const page = await site.open(path);
  await page.getByText(`Message ${messageCount - 1}.`).waitFor();
  await page.waitForTimeout(1000);
  const runs: Frames[] = [];
  await site.browser.startTracing(page, { categories: ["toplevel", "__metadata"] });
  for (let pass = 0; pass < passes; pass += 1) {
    const up = await scroll(page, -420, framesPerWay);
    const down = await scroll(page, 420, framesPerWay);
    runs.push({
      frames: up.frames + down.frames,
      longestMs: Math.max(up.longestMs, down.longestMs),
      over: up.over + down.over,
      medianMs: Math.max(up.medianMs, down.medianMs),
    });
  }
  const taskMs = longestTask(await site.browser.stopTracing());
  // Others use this machine too: the calmest pass says what the app itself needs.
  const best = runs.reduce((left, right) => (right.longestMs < left.longestMs ? right : left));
  const rows = await page.getByRole("article").count();

  const result = {
    firstScreenKb: Number(home.firstKb.toFixed(1)),
    conversationKb: Number(talk.firstKb.toFixed(1)),
    allKb: Number(totalKb.toFixed(1)),
    slowLinePaintMs: Math.round(paintMs),
    readyMs: Math.round(readyMs),
    messages: messageCount,
    rowsInPage: rows,
    frames: best.frames,
    medianFrameMs: Number(best.medianMs.toFixed(1)),
    longestFrameMs: Number(best.longestMs.toFixed(1)),
    longestFrameMsOfAllPasses: Number(Math.max(...runs.map((run) => run.longestMs)).toFixed(1)),
    framesOver50Ms: best.over,
    longestTaskCpuMs: Number(taskMs.toFixed(1)),
    loadAverage: Number((loadavg()[0] ?? 0).toFixed(1)),
    complaints: site.complaints.length,
  };
  console.table([
    {
      measure: "scripts and styles of the first screen, as sent",
      value: `${result.firstScreenKb} kB`,
      limit: `${limits.firstScreenKb} kB`,
    },
    { measure: "of a conversation that is opened first", value: `${result.conversationKb} kB`, limit: "" },
    {
      measure: "all, with code on the page and what is fetched ahead",
      value: `${result.allKb} kB`,
      limit: "",
    },
    {
      measure: "something to see on a slow line (1.6 Mbit/s, 150 ms)",
      value: `${result.slowLinePaintMs} ms`,
      limit: `${limits.paintMs} ms`,
    },
    {
      measure: `ready with ${messageCount} messages, median of ${loads}`,
      value: `${result.readyMs} ms`,
      limit: `${limits.readyMs} ms`,
    },
    { measure: "rows in the page", value: result.rowsInPage, limit: "" },
    { measure: "median frame while scrolling", value: `${result.medianFrameMs} ms`, limit: "" },
    {
      measure: `longest frame, best of ${passes} passes, load average ${result.loadAverage}`,
      value: `${result.longestFrameMs} ms`,
      limit: "",
    },
    {
      measure: "longest task of the main thread, processor time",
      value: `${result.longestTaskCpuMs} ms`,
      limit: `${limits.taskMs} ms`,
    },
    { measure: "longest frame of all passes", value: `${result.longestFrameMsOfAllPasses} ms`, limit: "" },
  ]);
  const passed =
    result.firstScreenKb <= limits.firstScreenKb &&
    result.slowLinePaintMs <= limits.paintMs &&
    result.readyMs <= limits.readyMs &&
    result.longestTaskCpuMs <= limits.taskMs &&
    site.complaints.length === 0;
  console.log(`RESULT ${JSON.stringify({ ...result, passed })}`);
  if (!passed) process.exitCode = 1;
} finally {
  await site.close();
  await site.browser.close();
}
