// npm run attack: what strangers, tenants and long inputs try, against the server as it is shipped. Loopback only.
// Options: --odd <count> of odd requests (12000), --healthz <ms> of processor time that the event loop may use while
// /healthz waits (100; how long the answer took on this machine is in brackets), --no-faults,
// --only <part>, such as --only long, and --match <words> of the names of long inputs.
import { spawnSync } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { hostileBodies, longBodies, oddRequests } from "@midfold/testkit";
import { type Stage, startStage } from "./stage.ts";
import { watchHealth } from "./watch-health.ts";

const { values: options } = parseArgs({
  options: {
    odd: { type: "string" },
    healthz: { type: "string" },
    "no-faults": { type: "boolean" },
    only: { type: "string" },
    match: { type: "string" },
  },
});
const oddCount = Number(options.odd ?? 12_000);
const healthzMs = Number(options.healthz ?? 100);

interface Outcome {
  readonly attack: string;
  readonly tried: number;
  readonly held: number;
  readonly note: string;
}
const outcomes: Outcome[] = [];
const failures: string[] = [];
function report(attack: string, tried: number, broken: readonly string[], note = ""): void {
  outcomes.push({ attack, tried, held: tried - broken.length, note });
  failures.push(...broken.map((what) => `${attack}: ${what}`));
  const verdict = broken.length === 0 ? "held" : `FAIL  ${broken.slice(0, 3).join("; ")}`;
  console.log(`${attack.padEnd(44)} ${String(tried).padStart(6)}  ${note.padEnd(34)} ${verdict}`);
}

const stage = await startStage();
try {
  const parts = { expectations, strangers, bodies, tenants, guesses, templates, chunked, long };
  for (const [name, part] of Object.entries(parts)) {
    if (options.only === undefined || options.only === name) await part(stage);
  }
} finally {
  const code = await stage.stop();
  report("the process, at the end of it all", 1, code === 0 ? [] : [`it ended with ${code}`]);
}
if (options["no-faults"] !== true && options.only === undefined) heldBefore();

const tried = outcomes.reduce((sum, outcome) => sum + outcome.tried, 0);
const held = outcomes.reduce((sum, outcome) => sum + outcome.held, 0);
console.log(`RESULT ${JSON.stringify({ attack: "midfold", tried, held, failed: failures.slice(0, 20) })}`);
process.exit(failures.length === 0 ? 0 : 1);

/** Sends text as it is; resolves with what came back once the server closes, or after a while. */
function send(url: string, text: string, waitMs = 1_500): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    let received = "";
    const done = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(received);
    };
    const timer = setTimeout(done, waitMs);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      if (received.includes("\r\n\r\n")) done();
    });
    socket.on("close", done);
    socket.on("error", done);
    socket.end(text, "latin1");
  });
}

async function expectations({ url, alive }: Stage): Promise<void> {
  let tries = 0;
  const paths = ["/", "/healthz", "/v1/messages", "/api/keys", "/nothing", "/metrics"];
  for (const path of paths) {
    for (const method of ["GET", "POST", "PUT"]) {
      for (const length of ["content-length: 3000000", "content-length: 40000000", "transfer-encoding: chunked"]) {
        const head = `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-type: application/json\r\n${length}\r\n\r\n`;
        await send(url, head);
        tries += 1;
        if (!alive()) return report("expect: 100-continue", tries, [`${method} ${path} ended the process`]);
      }
    }
  }
  report("expect: 100-continue", tries, []);
}

async function strangers({ url, alive, healthz }: Stage): Promise<void> {
  const broken: string[] = [];
  let batch: Promise<string>[] = [];
  let answered = 0;
  const settle = async () => {
    for (const answer of await Promise.all(batch)) {
      if (answer !== "") answered += 1;
      if (/^HTTP\/1\.1 5/.test(answer)) broken.push(answer.slice(0, 80));
      if (/^HTTP\/1\.1 200/.test(answer) && /"(?:providers|items|clients)"/.test(answer))
        broken.push("data without a key");
    }
    batch = [];
  };
  for (const text of oddRequests(oddCount)) {
    batch.push(send(url, text, 300));
    if (batch.length === 64) await settle();
    if (!alive()) break;
  }
  await settle();
  if (!alive()) broken.push("the process ended");
  else await healthz();
  report("odd requests of a stranger", oddCount, broken, `${answered} answered`);
}

async function ask(url: string, key: string, method: string, path: string, body?: unknown, headers: object = {}) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json", ...headers },
    // Longer than any work of the server may take.
    signal: AbortSignal.timeout(150_000),
    ...(body === undefined
      ? {}
      : { body: typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body) }),
  });
  const text = await response.text();
  let json: Record<string, unknown> = {};
  try {
    json = JSON.parse(text) as Record<string, unknown>;
  } catch {}
  return { status: response.status, text, json };
}

async function bodies({ url, keys, alive }: Stage): Promise<void> {
  const broken: string[] = [];
  for (const { name, path, write } of hostileBodies) {
    try {
      const { status } = await ask(url, keys.anna ?? "", "POST", path, write());
      if (status >= 500 && status !== 502 && status !== 503 && status !== 529) broken.push(`${name}: ${status}`);
    } catch (error) {
      broken.push(`${name}: ${String(error)}`);
    }
    if (!alive()) break;
  }
  report("bodies that are no requests", hostileBodies.length, alive() ? broken : [...broken, "the process ended"]);
}

async function tenants({ url, keys }: Stage): Promise<void> {
  const { anna = "", ben = "", admin = "", limited = "" } = keys;
  const broken: string[] = [];
  let tries = 0;
  const wants = (what: string, is: unknown, ...good: unknown[]) => {
    tries += 1;
    if (!good.includes(is)) broken.push(`${what}: ${String(is)}`);
  };
  const session = (await ask(url, anna, "POST", "/api/sessions", { title: "secret" })).json;
  for (const path of ["", "/messages", "/usage", "/events", "/folds", "/summaries"]) {
    wants(
      `ben reads anna's session${path}`,
      (await ask(url, ben, "GET", `/api/sessions/${session.id}${path}`)).status,
      404,
      405,
    );
  }
  const provider = { kind: "openai", key: "sk-of-ben-0123456789" };
  wants("ben enters a provider", (await ask(url, ben, "PUT", "/api/providers/own", provider)).status, 200);
  wants("anna does not see it", (await ask(url, anna, "GET", "/api/providers")).text.includes("own"), false);
  wants(
    "anna cannot use it",
    (await ask(url, anna, "POST", `/api/sessions/${session.id}/messages`, { text: "hi", model: "own/gpt-4o" })).status,
    404,
  );
  wants(
    "ben enters an address inside",
    (
      await ask(url, ben, "PUT", "/api/providers/in", {
        kind: "generic",
        baseUrl: "http://169.254.169.254/v1",
        key: "k",
      })
    ).status,
    400,
  );
  const turns: number[] = [];
  const own = (await ask(url, limited, "POST", "/api/sessions", { title: "t" })).json;
  for (let i = 0; i < 5; i++) {
    turns.push(
      (await ask(url, limited, "POST", `/api/sessions/${own.id}/messages`, { text: "hi", model: "midfold-demo" }))
        .status,
    );
  }
  wants("turns of a key with one request a minute", turns.filter((status) => status === 200).length, 1);
  const made = (await ask(url, limited, "POST", "/api/keys/clients", { name: "more" })).json;
  wants(
    "a key it made does more",
    (await ask(url, String(made.key), "POST", "/v1/chat/completions", { model: "midfold-demo", messages: [] })).status,
    429,
  );
  const list = (await ask(url, admin, "GET", "/api/keys")).json.clients as { id: string }[];
  wants(
    "anna revokes the administrator's key",
    (await ask(url, anna, "DELETE", `/api/keys/clients/${list[0]?.id}`)).status,
    403,
    404,
  );
  const feeds = await Promise.all(
    Array.from({ length: 520 }, () => {
      const controller = new AbortController();
      return fetch(`${url}/api/events`, { headers: { "x-api-key": ben }, signal: controller.signal }).then(
        (response) => ({ status: response.status, controller }),
        () => ({ status: 0, controller }),
      );
    }),
  );
  wants("anna is served beside 520 feeds of ben", (await ask(url, anna, "GET", "/api/sessions")).status, 200);
  for (const { controller } of feeds) controller.abort();
  report("a hostile tenant", tries, broken);
}

async function guesses({ url, keys }: Stage): Promise<void> {
  const broken: string[] = [];
  for (let i = 0; i < 40; i++) await ask(url, `mf-guess-${i}`, "GET", "/v1/models");
  const { status } = await ask(url, keys.anna ?? "", "GET", "/v1/models");
  if (status !== 200) broken.push(`a valid key got ${status}`);
  report("forty guessed keys, then a good one", 41, broken);
}

async function templates({ url, keys, healthz }: Stage): Promise<void> {
  const broken: string[] = [];
  const prompts = [
    `${"{{#each @root}}".repeat(14)}x${"{{/each}}".repeat(14)}`,
    `{{#*inline "a"}}{{> a }}{{> a }}{{/inline}}{{> a }}`,
    "{{conversation_history}}".repeat(5_000),
  ];
  for (const prompt of prompts) {
    const anna = keys.anna ?? "";
    await ask(url, anna, "PATCH", "/api/settings", { set: { summaryPrompt: prompt } });
    const { json } = await ask(url, anna, "POST", "/api/sessions", { title: "t", model: "midfold-demo" });
    for (let i = 0; i < 2; i++) {
      await ask(url, anna, "POST", `/api/sessions/${json.id}/messages`, {
        text: "hello ".repeat(800),
        model: "midfold-demo",
      });
    }
    await ask(url, anna, "POST", `/api/sessions/${json.id}/folds`, {});
    await delay(300);
    const took = await healthz();
    if (took > 2_000) broken.push(`/healthz took ${took.toFixed(0)} ms`);
  }
  await ask(url, keys.anna ?? "", "PATCH", "/api/settings", { reset: ["summaryPrompt"] });
  report("summary prompts that never end", prompts.length, broken);
}

/** A chunked body is limited as it arrives. */
async function chunked(): Promise<void> {
  const stage = await startStage({ limits: { bodyBytesInFlight: "8mb" } });
  const broken: string[] = [];
  const port = Number(new URL(stage.url).port);
  const head = `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${stage.keys.anna}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`;
  const megabyte = "x".repeat(1024 * 1024);
  const refused = await Promise.all(
    Array.from({ length: 20 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(head);
      for (let i = 0; i < 4; i++) socket.write(`${megabyte.length.toString(16)}\r\n${megabyte}\r\n`);
      return new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(false), 3_000);
        socket.once("data", (chunk) => {
          clearTimeout(timer);
          resolve(/ (503|529) /.test(chunk.toString()));
        });
      }).finally(() => socket.destroy());
    }),
  );
  const count = refused.filter(Boolean).length;
  if (count < 15) broken.push(`${20 - count} bodies of 4 MB were held with room for 8 MB`);
  if (!stage.alive()) broken.push("the process ended");
  await stage.stop();
  report("bodies in chunks, more than there is room for", 20, broken, `${count} refused`);
}

async function long(stage: Stage): Promise<void> {
  const { url, keys } = stage;
  const { json: session } = await ask(url, keys.ben ?? "", "POST", "/api/sessions", { title: "long" });
  for (const { name, path: pattern, write, gzip, contentType } of longBodies) {
    if (options.match !== undefined && !name.includes(options.match)) continue;
    const path = pattern.replace("{session}", String(session.id));
    const text = gzip === true ? gzipSync(write()) : write();
    const headers = {
      "content-type": contentType ?? "application/json",
      ...(gzip === true ? { "content-encoding": "gzip" } : {}),
    };
    await delay(200);
    const stop = await watchHealth({ url, pid: stage.process.pid ?? 0 });
    const began = performance.now();
    let status = 0;
    try {
      status = (await ask(url, keys.ben ?? "", "POST", path, text, headers)).status;
    } catch {}
    const took = performance.now() - began;
    const broken: string[] = [];
    const slowest = await stop().catch((error) => {
      broken.push(String(error));
      return { took: 0, held: 0 };
    });
    const health = `healthz ${slowest.held.toFixed(0)} ms (${slowest.took.toFixed(0)})`;
    if (slowest.held > healthzMs) broken.push(`${health} meanwhile`);
    if (status === 0 || status === 500) broken.push(`answered ${status}`);
    report(`long: ${name}`, 1, broken, `${status}, ${(took / 1000).toFixed(1)} s, ${health}`);
    if (!stage.alive()) return report("long inputs", 1, ["the process ended"]);
  }
}

/** Runs the fault checklist, which must still hold. */
function heldBefore(): void {
  const file = new URL("../faults/main.ts", import.meta.url).pathname;
  const { stdout } = spawnSync(process.execPath, [file], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const result = JSON.parse(/RESULT (\{.*\})/.exec(stdout)?.[1] ?? '{"checks":0,"failed":["no result"]}') as {
    readonly checks: number;
    readonly failed: readonly string[];
  };
  report("the fault checklist (faults:gateway)", result.checks, result.failed);
}
