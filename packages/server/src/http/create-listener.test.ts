import { hash } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";
import { createListener, endCurrentRequest } from "./create-listener.ts";

let gateway: GatewayUnderTest | undefined;
const simulators: Simulator[] = [];
afterEach(async () => {
  await gateway?.close();
  for (const simulator of simulators.splice(0)) await simulator.close();
  gateway = undefined;
});

const keysRequired = "server: { keys: required, limits: { bodyBytes: 1mb } }";
const start = async (yaml: string) => {
  gateway = await startGateway({ yaml, keys: new Map() });
  return gateway;
};

/** What comes back until the server closes the connection. */
async function exchange(url: string, text: string): Promise<string> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.write(text);
  await once(socket, "close");
  return received;
}

describe("a client that waits for permission to send its body", () => {
  it.each([
    ["without a key", "POST /v1/messages HTTP/1.1", "content-length: 3000000"],
    ["to a path nobody serves", "POST /nothing HTTP/1.1", "content-length: 10"],
    ["with a GET", "GET /healthz HTTP/1.1", "content-length: 10"],
    ["in chunks", "POST /v1/messages HTTP/1.1", "transfer-encoding: chunked"],
  ])("is refused %s, and the server goes on", async (_, line, length) => {
    const { url } = await start(keysRequired);
    const head = `${line}\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-type: application/json\r\n${length}\r\nconnection: close\r\n\r\n`;
    const answer = await exchange(url, head);
    expect(answer).toMatch(/^HTTP\/1\.1 (200|401|404|405)/);
    expect(answer).not.toContain("100 Continue");
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it("is told before it sends more than the limit", async () => {
    const { url } = await start("server: { limits: { bodyBytes: 1kb } }");
    const head = `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-type: application/json\r\ncontent-length: 40000000\r\n\r\n`;
    const answer = await exchange(url, head);
    expect(answer).toMatch(/^HTTP\/1\.1 413/);
  });

  it("gets it when the head is in order", async () => {
    const { url } = await start("");
    const body = JSON.stringify({ model: "midfold-demo", max_tokens: 9, messages: [{ role: "user", content: "Hi" }] });
    const head = `POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\nexpect: 100-continue\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
    const answer = await exchange(url, head + body);
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200/);
  });
});

describe("a request that ends in an error nobody foresaw", () => {
  it("is ended, logged and counted, and no other is", async () => {
    const { url, server, lines } = await start("");
    const open = await fetch(`${url}/api/console/feed`);
    expect(open.status).toBe(200);
    server.handleStrayError(new Error("outside any request"));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(lines.some(({ msg }) => msg === "unexpected error")).toBe(true);
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("midfold_unexpected_errors_total 1");
    await open.body?.cancel();
  });
});

describe("endCurrentRequest", () => {
  it("ends the request whose timer, socket or promise it is called from", async () => {
    const limits = {
      ...{ headerBytes: 16_384, headersTimeoutMs: 5_000, requestTimeoutMs: 5_000, keepAliveTimeoutMs: 5_000 },
      ...{ drainTimeoutMs: 5_000, connections: 10 },
    };
    const listener = createListener({
      limits,
      newId: () => "req_test",
      handle: async ({ target, signal }) => {
        if (target === "/throws") setTimeout(() => expect(endCurrentRequest()).toBe(true), 5);
        else setTimeout(() => undefined, 5);
        const ended = target !== "/throws" ? await delay(50, false) : await once(signal, "abort").then(() => true);
        return { status: ended ? 500 : 200, headers: {} };
      },
      onOpen: () => () => undefined,
      onWriteError: () => undefined,
    });
    await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
    const [bystander, thrower] = await Promise.all([fetch(`${url}/other`), fetch(`${url}/throws`)]);
    expect([bystander.status, thrower.status]).toEqual([200, 500]);
    expect(endCurrentRequest()).toBe(false);
    listener.close();
    listener.closeAllConnections();
  });
});

describe("what a field name may do to the headers of the answer", () => {
  it.each([
    ["Japanese", "日本"],
    ["with a zero", "a\u0000b"],
    ["with a line break", "a\r\nset-cookie: b"],
    ["accented", "é"],
    ["long", "x".repeat(20_000)],
    ["half a character", "\ud800"],
  ])("a field name that is %s does not hang the client", async (_, name) => {
    const simulator = await startSimulator({ protocol: "openai-chat" });
    simulators.push(simulator);
    const { url } = await start(`
upstreams: { chat: { baseUrl: "${simulator.url}/v1", headers: { authorization: Bearer k } } }
routes: [{ model: "*", upstream: chat }]
`);
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "Hi" }], [name]: 1 }),
      signal: AbortSignal.timeout(5_000),
    });
    expect(response.status, JSON.stringify(gateway?.lines.at(-1))).toBe(200);
    expect(response.headers.get("set-cookie")).toBeNull();
  });
});

describe("bodies in chunks", () => {
  it("count as they come, and are refused when there is no more room", async () => {
    const { url } = await start("server: { limits: { bodyBytesInFlight: 2mb, bodyBytes: 8mb } }");
    const port = Number(new URL(url).port);
    const head =
      "POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n";
    const piece = `${(1_048_576).toString(16)}\r\n${"x".repeat(1_048_576)}\r\n`;
    const open = async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined);
      await once(socket, "connect");
      socket.write(head + piece);
      return socket;
    };
    const sockets = await Promise.all(Array.from({ length: 4 }, open));
    const refused = await Promise.any(
      sockets.map(async (socket) => String((await once(socket, "data"))[0]).split("\r\n")[0]),
    );
    expect(refused).toMatch(/503|529/);
    for (const socket of sockets) socket.destroy();
  });

  it("are cut at the limit for one body", async () => {
    const { url } = await start("server: { limits: { bodyBytes: 1mb } }");
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new TextEncoder().encode("x".repeat(65_536))),
    });
    const init = { method: "POST", headers: { "content-type": "application/json" }, body, duplex: "half" };
    const outcome = await fetch(`${url}/v1/messages`, init as RequestInit).then(
      ({ status }) => status,
      () => "closed",
    );
    expect([413, "closed"]).toContain(outcome);
  });
});

describe("a request with two Host headers", () => {
  it("is refused", async () => {
    const { url } = await start("");
    const answer = await exchange(url, "GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nHost: evil.example\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 400/);
  });
});

describe("somebody who guesses keys", () => {
  const good = "mf-good";
  const keys = new Map([[hash("sha256", good), { id: "k", name: "good", tenant: "t", admin: false, limits: {} }]]);
  const ask = (url: string, key: string, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/models`, { headers: { "x-api-key": key, ...headers } }).then(({ status }) => status);

  it("is slowed down, and nobody else behind the same address is", async () => {
    gateway = await startGateway({ yaml: "server: { keys: required }", keys });
    const { url } = gateway;
    const guesses = await Promise.all(Array.from({ length: 15 }, (_, i) => ask(url, `mf-guess-${i}`)));
    expect(guesses.filter((status) => status === 401)).toHaveLength(10);
    expect(guesses.filter((status) => status === 429)).toHaveLength(5);
    expect(await ask(url, good)).toBe(200);
  });

  it("is told apart from others by what a trusted proxy says", async () => {
    gateway = await startGateway({ yaml: "server: { keys: required, trustedProxies: [127.0.0.1] }", keys });
    const { url } = gateway;
    for (let i = 0; i < 12; i++) await ask(url, `mf-guess-${i}`, { "x-forwarded-for": "6.6.6.6" });
    expect(await ask(url, "mf-guess", { "x-forwarded-for": "6.6.6.6" })).toBe(429);
    expect(await ask(url, "mf-typo", { "x-forwarded-for": "7.7.7.7" })).toBe(401);
  });
});

describe("behind the shipped nginx", () => {
  it("a page that sends its origin is taken for our own", async () => {
    const conf = readFileSync(new URL("../../../../deploy/nginx.conf", import.meta.url), "utf8");
    expect(conf).toMatch(/proxy_set_header Host \$http_host;/);
    const yaml = readFileSync(new URL("../../../../deploy/midfold.yaml", import.meta.url), "utf8");
    gateway = await startGateway({ yaml: yaml.replace("0.0.0.0", "127.0.0.1"), keys: new Map() });
    // What nginx passes on: the browser's own Host, whatever port midfold listens on.
    const head =
      "POST /v1/messages HTTP/1.1\r\nhost: gw.example:8080\r\norigin: http://gw.example:8080\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    expect(await exchange(gateway.url, head)).toMatch(/^HTTP\/1\.1 401/);
  });
});

describe("connections that send nothing", () => {
  it("give way to those that do", async () => {
    const { url } = await start("server: { limits: { connections: 20 } }");
    const port = Number(new URL(url).port);
    const idle = Array.from({ length: 40 }, () => connect(port, "127.0.0.1").on("error", () => undefined));
    await Promise.all(idle.slice(0, 20).map((socket) => once(socket, "connect")));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const socket of idle) socket.destroy();
  });
});
