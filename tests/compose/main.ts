// `npm run e2e:compose`: what deploy/docker-compose.yml starts, without Docker: PostgreSQL (from npm), two replicas with
// the shipped configuration, the shipped nginx configuration in front, and a client that only knows nginx.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startPostgres } from "@midfold/store/testing";
import { startNginx } from "./start-nginx.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const main = join(root, "packages/cli/src/main.ts");
const say = (text: string) => process.stdout.write(`${text}\n`);

interface Check {
  readonly what: string;
  readonly ok: boolean;
  readonly seen: string;
}

const folder = mkdtempSync(join(tmpdir(), "midfold-compose-"));
const checks: Check[] = [];
const check = (what: string, ok: boolean, seen: unknown) => {
  checks.push({ what, ok, seen: String(seen) });
  say(`${ok ? "ok  " : "FAIL"}  ${what.padEnd(66)} ${seen}`);
};

process.exitCode = await run();

async function run(): Promise<number> {
  const postgres = await startPostgres({ durable: true });
  const running: ChildProcess[] = [];
  try {
    const [port, ...ports] = (await Promise.all([freePort(), freePort(), freePort()])) as [number, number, number];
    const env = { PATH: process.env.PATH ?? "", HOME: folder, MIDFOLD_DATABASE: await postgres.createDatabase() };
    const config = join(folder, "midfold.yaml");
    writeFileSync(config, readFileSync(join(root, "deploy/midfold.yaml")));
    // In containers each has an address of its own and all use port 4141; here they share one.
    running.push(...ports.map((replica) => startReplica(config, replica, env)));
    for (const replica of ports) await untilReady(`http://127.0.0.1:${replica}`);
    const nginx = await startNginx(folder, port, ports);
    if (nginx === undefined) {
      say("There is no nginx here, and apt-get could not fetch Debian's: not measured.");
      say(`RESULT ${JSON.stringify({ ok: false, measured: false })}`);
      return 1;
    }
    say(`${nginx.version} in front of replicas on ${ports.join(" and ")}\n`);
    try {
      await untilReady(`http://127.0.0.1:${port}`);
      const added = spawnSync(process.execPath, [main, "keys", "add", "first", "--admin", "--config", config], {
        cwd: folder,
        env,
        encoding: "utf8",
      });
      const key = added.stdout.trim();
      check("a key is made on the shared database", key.length > 20, added.stderr.trim());
      await exercise(`http://127.0.0.1:${port}`, key, ports, running);
    } finally {
      await nginx.stop();
    }
  } finally {
    await Promise.all(running.map(stop));
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const failures = checks.filter(({ ok }) => !ok);
  say(`RESULT ${JSON.stringify({ ok: failures.length === 0, checks: checks.length, failures })}`);
  return failures.length === 0 ? 0 : 1;
}

async function exercise(
  url: string,
  key: string,
  ports: readonly number[],
  replicas: readonly ChildProcess[],
): Promise<void> {
  const [first, second] = ports.map((replica) => `http://127.0.0.1:${replica}`) as [string, string];
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const ask = (at: string, body: object, extra: Record<string, string> = {}) =>
    fetch(`${at}/v1/chat/completions`, {
      method: "POST",
      headers: { ...headers, ...extra },
      body: JSON.stringify({ model: "midfold-demo-8k", ...body }),
    });
  const hello = { messages: [{ role: "user", content: "hello" }] };

  const stranger = await ask(url, hello, { authorization: "" });
  check("without a key nobody gets in", stranger.status === 401, stranger.status);
  const answer = await ask(url, hello);
  check("a request through nginx is answered", answer.status === 200, answer.status);
  await answer.text();

  const pieces = await readPieces(await ask(url, { ...hello, stream: true }));
  check(
    "a stream arrives piece by piece",
    pieces.length > 3 && (pieces.at(-1) ?? "").includes("[DONE]"),
    `${pieces.length} pieces`,
  );

  const host = new URL(url).host;
  const page = await ask(url, hello, { origin: `http://${host}` });
  check("the app's own page may call it", page.status === 200, page.status);
  const foreign = await ask(url, hello, { origin: "https://elsewhere.example" });
  check("another page may not", foreign.status === 403, foreign.status);

  const site = await fetch(`${url}/`);
  check("the chat app is served", (await site.text()).includes("<title>Midfold"), site.status);

  const made = await fetch(`${first}/api/sessions`, { method: "POST", headers, body: '{"title":"Made on one"}' });
  const list = await (await fetch(`${second}/api/sessions`, { headers })).text();
  check("a chat made on one replica is on the other", made.status === 201 && list.includes("Made on one"), made.status);

  const long = Array.from({ length: 81 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Note ${i}. ${"The quick brown fox jumps over the lazy dog. ".repeat(16)}`,
  }));
  const folded = await ask(first, { messages: long });
  await folded.text();
  check(
    "one replica folds a long conversation",
    folded.headers.get("x-midfold-outcome") === "folded",
    folded.headers.get("x-midfold-outcome"),
  );
  const more = [...long, { role: "assistant", content: "Noted." }, { role: "user", content: "And now?" }];
  const outcome = await untilIs("reused", async () => {
    const reply = await ask(second, { messages: more });
    await reply.text();
    return reply.headers.get("x-midfold-outcome");
  });
  check("the other goes on with that fold", outcome === "reused", outcome);

  for (let i = 0; i < 20; i++) await (await ask(url, hello)).text();
  const served = await Promise.all([first, second].map((replica) => requestsOf(replica, headers)));
  check(
    "nginx spreads requests over both",
    served.every((count) => count > 3),
    served.join(" and "),
  );

  replicas[0]?.kill("SIGKILL");
  await once(replicas[0] as ChildProcess, "exit");
  const statuses: number[] = [];
  for (let i = 0; i < 12; i++) {
    const reply = await ask(url, hello);
    await reply.text();
    statuses.push(reply.status);
  }
  check(
    "a killed replica costs no request",
    statuses.every((status) => status === 200),
    statuses.join(" "),
  );

  const stream = await ask(url, { ...hello, stream: true });
  replicas[1]?.kill("SIGTERM");
  const rest = await readPieces(stream);
  check(
    "a replica that is stopped finishes its streams",
    (rest.at(-1) ?? "").includes("[DONE]"),
    `${rest.length} pieces`,
  );
}

async function readPieces(response: Response): Promise<string[]> {
  const pieces: string[] = [];
  for await (const chunk of response.body ?? []) pieces.push(Buffer.from(chunk).toString());
  return pieces;
}

/** Tries again while what is learned travels to the other replica. */
async function untilIs(wanted: string, ask: () => Promise<string | null>): Promise<string | null> {
  for (let attempt = 0; ; attempt++) {
    const seen = await ask();
    if (seen === wanted || attempt === 20) return seen;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** What a replica answered itself, from its own metrics. */
async function requestsOf(replica: string, headers: Record<string, string>): Promise<number> {
  const text = await (await fetch(`${replica}/metrics`, { headers })).text();
  const lines = text.split("\n").filter((line) => /^midfold_requests_total/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
}

function startReplica(config: string, port: number, env: Record<string, string>): ChildProcess {
  return spawn(
    process.execPath,
    [main, "serve", "--config", config, "--host", "127.0.0.1", "--port", String(port), "--log-level", "error"],
    {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const ready = await fetch(`${url}/readyz`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ready) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} does not become ready.`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
