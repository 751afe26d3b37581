import { gzipSync } from "node:zlib";

import * as fc from "fast-check";
import { type Check, check, ms, require, requireEqual } from "./check.ts";
import { startChild } from "./child-gateway.ts";
import { openRaw, statusOf } from "./raw-socket.ts";
import { chat, posts, withDemo, withStage, words } from "./setup.ts";

export const jsonChecks: readonly Check[] = [
  check(
    "A8",
    "body over the limit, with Content-Length",
    withDemo,
    { yaml: '{"server":{"limits":{"bodyBytes":"1mb"}}}' },
    async ({ url }) => {
      const connection = await openRaw(url);
      const host = `127.0.0.1:${new URL(url).port}`;
      connection.socket.write(
        `POST ${chat} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 100000000\r\n\r\n${"x".repeat(1000)}`,
      );
      const took = await connection.closed;
      requireEqual(statusOf(connection.received()), 413, "status");
      return `413 before the body was read, closed after ${ms(took)}`;
    },
  ),
  {
    id: "A9",
    fault: "body over the limit, chunked",
    run: async () => {
      const child = await startChild({ config: { server: { database: "none", limits: { bodyBytes: "4mb" } } } });
      try {
        const before = child.memory();
        const connection = await openRaw(child.url);
        connection.socket.write(
          `POST ${chat} HTTP/1.1\r\nhost: 127.0.0.1:${new URL(child.url).port}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
        );
        const chunk = Buffer.from(`10000\r\n${"x".repeat(65_536)}\r\n`);
        let sent = 0;
        while (!connection.socket.destroyed && sent < 100_000_000 && statusOf(connection.received()) === 0) {
          sent += 65_536;
          if (!connection.socket.write(chunk)) await new Promise((resolve) => setTimeout(resolve, 5));
        }
        await Promise.race([connection.closed, new Promise((resolve) => setTimeout(resolve, 3_000))]);
        requireEqual(statusOf(connection.received()), 413, "status");
        const grown = child.memory() - before;
        require(grown < 60, `memory grew by ${grown.toFixed(0)} MB`);
        return `413 after ${(sent / 1e6).toFixed(1)} MB written, memory +${grown.toFixed(0)} MB`;
      } finally {
        await child.stop();
      }
    },
  },
  check("A10", "gzip bomb as request", withDemo, {}, async ({ url }) => {
    const response = await fetch(`${url}${chat}`, {
      method: "POST",
      headers: { "content-type": "application/json", "content-encoding": "gzip" },
      body: gzipSync(Buffer.alloc(200_000_000)),
    });
    requireEqual(response.status, 413, "status");
    return "413, inflated no further than a plain body may be long";
  }),
  check("A11", "JSON nested 1e5 deep", withDemo, {}, async ({ post, lines }) => {
    const response = await post(chat, `{"model":"m","messages":[],"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`);
    requireEqual(response.status, 400, "status");
    require(!JSON.stringify(lines).includes("RangeError"), "RangeError in the log");
    return "400";
  }),
  check("A12", "malformed, null, array, wrong types (fuzz)", withDemo, {}, async ({ post, url }) => {
    const paths = [chat, "/v1/messages", "/v1/responses", "/v1/messages/count_tokens"];
    const statuses = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.jsonValue({ maxDepth: 4 }),
        fc.boolean(),
        async (path, value, shaped) => {
          const body = shaped
            ? { model: "midfold-demo", max_tokens: 10, messages: value, input: value, system: value, tools: value }
            : value;
          const { status } = await post(path, body as object);
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
          require(status === 200 ||
            status === 400 ||
            status === 404, `${status} for ${JSON.stringify(body).slice(0, 200)}`);
        },
      ),
      { numRuns: 600 },
    );
    requireEqual((await fetch(`${url}/healthz`)).status, 200, "health");
    return [...statuses].map(([status, count]) => `${count} x ${status}`).join(", ");
  }),
  check(
    "A13",
    "__proto__ and constructor.prototype keys",
    withStage,
    { upstream: { unknownFields: "ignore" } },
    async ({ simulator, gateway }) => {
      const raw =
        '{"model":"gpt-4o","messages":[{"role":"user","content":"hi","__proto__":{"x":1}}],"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}';
      requireEqual((await gateway.post(chat, raw)).status, 200, "status");
      requireEqual(({} as { x?: number }).x, undefined, "prototype");
      requireEqual(posts(simulator)[0]?.raw.toString(), raw, "forwarded bytes");
      return "ordinary data, forwarded as it is";
    },
  ),
  check("A14", "constructor, toString, __proto__ as names", withDemo, {}, async ({ post }) => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty", "valueOf"]) {
      const body = { model: name, messages: [{ role: "user", content: name }] };
      const headers = { "x-session-id": name, "x-claude-code-session-id": name };
      requireEqual((await post(chat, body, headers)).status, 200, name);
    }
    return "as text, model and session";
  }),
  check(
    "A15",
    "10 000 messages of 1 KB; one of 10 MB",
    withStage,
    { upstream: { window: 100_000 }, route: { window: 100_000, preset: "agent" } },
    async ({ gateway }) => {
      const many = Array.from({ length: 10_001 }, (_, i) => ({
        role: i % 2 === 0 ? "user" : "assistant",
        content: words(22, String(i)),
      }));
      const times: number[] = [];
      for (let round = 0; round < 3; round++) {
        const startedAt = performance.now();
        requireEqual((await gateway.post(chat, { model: "gpt-4o", messages: many })).status, 200, "many");
        times.push(performance.now() - startedAt);
      }
      const big = await gateway.post(chat, {
        model: "gpt-4o",
        messages: [
          { role: "user", content: "Read this." },
          { role: "assistant", content: words(220_000) },
          { role: "user", content: "ok" },
        ],
      });
      requireEqual(big.status, 200, "one large");
      return `first ${ms(times[0] ?? 0)}, again ${ms(times[1] ?? 0)} and ${ms(times[2] ?? 0)}; the large one folded`;
    },
  ),
  check(
    "A16",
    "numbers beyond 2^53, 1e400, duplicate keys",
    withStage,
    { upstream: { unknownFields: "ignore" } },
    async ({ simulator, gateway }) => {
      const raw =
        '{"model":"gpt-4o","n1":12345678901234567890123,"n2":1e400,"n3":1.0,"dup":1,"dup":2,"messages":[{"role":"user","content":"hi","meta":9007199254740993}]}';
      await gateway.post(chat, raw);
      requireEqual(posts(simulator)[0]?.raw.toString(), raw, "forwarded bytes");
      return "byte-equal";
    },
  ),
];
