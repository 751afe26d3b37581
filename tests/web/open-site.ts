import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore, type Store } from "@midfold/store";
import chromium from "@sparticuz/chromium";
import { type Browser, type BrowserContext, type CDPSession, type Page, chromium as playwright } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type GatewayUnderTest, startGateway } from "../../packages/server/src/testing/start-gateway.ts";
import { siteFolder } from "./build-site.ts";

export interface Site {
  readonly url: string;
  readonly gateway: GatewayUnderTest;
  readonly browser: Browser;
  readonly store: Store;
  /** The demo model's streams, which flow freely until they are held. */
  readonly demo: DemoGate;
  /** A page of its own, at a path, in a window of its own size and theme. */
  open(path: string, look?: Look): Promise<Page>;
  /** Addresses asked for outside the server, page errors and console errors, over all pages. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export interface Look {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: "light" | "dark";
  /** Only once its event feed is open, so that nothing that happens from then on is missed. */
  readonly listening?: boolean;
}

/**
 * How many times slower each page computes than the machine: `MIDFOLD_SLOW_PAGES=10 npx vitest run --project web …` finds
 * what happens in another order on a busy machine.
 */
export const slowness = Number(process.env.MIDFOLD_SLOW_PAGES ?? 1);

export interface DemoGate {
  /** From now on every streamed answer stops after so many words, until it is let go. */
  holdAfter(words: number): void;
  letGo(): void;
}

function createDemoGate(): DemoGate & { pace(signal: AbortSignal | undefined): Promise<void> } {
  let words = Number.POSITIVE_INFINITY;
  let open = Promise.withResolvers<void>();
  const said = new WeakMap<AbortSignal, number>();
  return {
    holdAfter(count) {
      words = count;
      open = Promise.withResolvers<void>();
    },
    letGo() {
      words = Number.POSITIVE_INFINITY;
      open.resolve();
    },
    async pace(signal) {
      if (signal === undefined) return;
      const count = (said.get(signal) ?? 0) + 1;
      said.set(signal, count);
      if (count < words || signal.aborted) return;
      const aborted = Promise.withResolvers<void>();
      const stop = () => aborted.resolve();
      signal.addEventListener("abort", stop, { once: true });
      await Promise.race([open.promise, aborted.promise]);
      signal.removeEventListener("abort", stop);
    },
  };
}

/** A site for all tests of a file or a `describe`: opened before them, closed after them. */
export function useSite(yaml?: string): Site {
  const site = {} as Site;
  beforeAll(async () => {
    Object.assign(site, await openSite(yaml));
  });
  afterAll(() => site.close());
  return site;
}

/** The real server with a database of its own, the built web app (`buildSite` first), and a real browser. */
export async function openSite(yaml?: string): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), "midfold-web-"));
  const demo = createDemoGate();
  const store = await openStore({ url: `sqlite:${join(folder, "web.db")}` });
  const gateway = await startGateway({
    store,
    webFolder: siteFolder,
    logLevel: "error",
    demoDelayMs: demo.pace,
    ...(yaml === undefined ? {} : { yaml }),
  });
  const browser = await runningBrowser();
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];
  return {
    url: gateway.url,
    gateway,
    browser,
    store,
    complaints,
    demo,
    open: async (path, { width = 1440, height = 900, theme = "light", listening = false } = {}) => {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        permissions: ["clipboard-read", "clipboard-write"],
      });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(slowness === 1 ? 30_000 : 120_000);
      if (slowness !== 1) await slowDown(page, slowness);
      page.on("request", (request) => {
        const address = request.url();
        if (!/^(?:data|blob):/.test(address) && !address.startsWith(new URL(path, gateway.url).origin))
          complaints.push(`asked for ${address}`);
      });
      page.on("pageerror", (error) => complaints.push(`error on ${path}: ${error.message}`));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(`console on ${path}: ${message.text()}`);
      });
      const feed = listening ? page.waitForResponse(/\/sessions\/[^/]+\/events(?:\?|$)/) : undefined;
      await page.goto(new URL(path, gateway.url).href);
      await feed;
      return page;
    },
    close: async () => {
      for (const context of contexts) await context.close();
      await gateway.close();
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

// One each: a second session would set a rate of its own beside the first's.
const sessions = new WeakMap<Page, CDPSession>();

/** From now on the page computes so many times slower; 1 is as fast as the machine. */
export async function slowDown(page: Page, rate: number): Promise<void> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send("Emulation.setCPUThrottlingRate", { rate });
}

/** Of the package's own arguments, those that would weaken the page, and those that draw in software what nobody looks at. */
const unwanted =
  /^--(?:single-process|disable-web-security|allow-running-insecure-content|no-zygote|.*(?:gpu|swiftshader|gl=angle))/;

let running: Promise<Browser> | undefined;

/**
 * One for all test files of a process, since starting it takes longer than many tests: each page has a context of its own,
 * which shares nothing with the others. It ends with the process.
 */
function runningBrowser(): Promise<Browser> {
  running ??= launch();
  return running;
}

/** The package unpacks its browser on first use; another test file may be doing so right now. */
async function launch(attempts = 40): Promise<Browser> {
  try {
    return await playwright.launch({
      args: [...chromium.args.filter((arg) => !unwanted.test(arg)), "--disable-gpu"],
      executablePath: await chromium.executablePath(),
      headless: true,
    });
  } catch (error) {
    if (attempts === 0 || !String(error).includes("ETXTBSY")) throw error;
    await sleep(500);
    return launch(attempts - 1);
  }
}
