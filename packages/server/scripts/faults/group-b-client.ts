import { createServer, request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { type Check, ms, require, requireEqual, waitFor } from "./check.ts";
import { simConfig, startChild } from "./child-gateway.ts";
import { openRaw, type RawConnection, sendRaw, statusOf } from "./raw-socket.ts";
import { chat, hello, posts, withDemo, withStage, words } from "./setup.ts";

const hostOf = (url: string) => `127.0.0.1:${new URL(url).port}`;
const head = (url: string, extra = "") =>
  `POST ${chat} HTTP/1.1\r\nhost: ${hostOf(url)}\r\ncontent-type: application/json\r\n${extra}`;

/** Asks over a connection that can be cut at will. */
async function ask(url: string, body: object): Promise<RawConnection> {
  const connection = await openRaw(url);
  const text = JSON.stringify(body);
  connection.socket.write(`${head(url, `content-length: ${Buffer.byteLength(text)}\r\n`)}\r\n${text}`);
  return connection;
}

interface EndlessUpstream {
  readonly url: string;
  written(): number;
  closedAt(): number;
}

/** An upstream that streams as fast as it is read, for ever. */
async function withEndless<TResult>(work: (upstream: EndlessUpstream) => Promise<TResult>): Promise<TResult> {
  const chunk = { index: 0, delta: { content: "x".repeat(8_000) }, finish_reason: null };
  const frame = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [chunk] })}\n\n`;
  let written = 0;
  let closedAt = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "GET") return void response.end("{}");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pump = () => {
      while (response.write(frame)) written += frame.length;
    };
    response.on("drain", pump);
    response.on("close", () => {
      closedAt = performance.now();
    });
    pump();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await work({ url: `http://127.0.0.1:${port}`, written: () => written, closedAt: () => closedAt });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export const clientChecks: readonly Check[] = [
  {
    id: "B1",
    fault: "headers one byte a second",
    run: () =>
      withDemo({ yaml: '{"server":{"deadlines":{"headers":"1s"}}}' }, async ({ url }) => {
        const connection = await openRaw(url);
        connection.socket.write(`POST ${chat} HTTP/1.1\r\nhost: x\r\nx-slow: `);
        const drip = setInterval(() => connection.socket.write("a"), 200);
        const took = await connection.closed.finally(() => clearInterval(drip));
        require(took < 6_000, `held ${ms(took)}`);
        return `closed after ${ms(took)} with a limit of 1 s (15 s unless set), status ${statusOf(connection.received())}`;
      }),
  },
  {
    id: "B2",
    fault: "body one byte a second",
    run: () =>
      withDemo({ yaml: '{"server":{"deadlines":{"headers":"1s","request":"2s"}}}' }, async ({ url }) => {
        const connection = await openRaw(url);
        connection.socket.write(`${head(url, "content-length: 1000\r\n")}\r\n`);
        const drip = setInterval(() => connection.socket.write(" "), 200);
        const took = await connection.closed.finally(() => clearInterval(drip));
        require(took < 8_000, `held ${ms(took)}`);
        return `closed after ${ms(took)} with a limit of 2 s (60 s unless set)`;
      }),
  },
  {
    id: "B3",
    fault: "idle connections up to the cap",
    run: async () => {
      const child = await startChild({ config: { server: { database: "none", limits: { connections: 1_000 } } } });
      const open: RawConnection[] = [];
      try {
        for (let i = 0; i < 950; i++) open.push(await openRaw(child.url));
        const startedAt = performance.now();
        requireEqual((await fetch(`${child.url}/healthz`)).status, 200, "health");
        const took = performance.now() - startedAt;
        for (let i = 0; i < 100; i++) open.push(await openRaw(child.url).catch(() => open[0] as RawConnection));
        for (const { socket } of open) socket.destroy();
        await waitFor(
          () =>
            fetch(`${child.url}/healthz`).then(
              ({ ok }) => ok,
              () => false,
            ),
          5_000,
          "recovery",
        );
        return `health in ${ms(took)} beside 950, beyond the cap dropped, recovers`;
      } finally {
        for (const { socket } of open) socket.destroy();
        await child.stop();
      }
    },
  },
  {
    id: "B4",
    fault: "client leaves before headers",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        simulator.failNext({ kind: "silence" });
        const connection = await ask(gateway.url, hello);
        await simulator.waitFor(({ counts }) => counts.requests === 1);
        connection.socket.destroy();
        const took = await waitFor(() => simulator.counts.aborted === 1, 1_000, "cancelling the upstream");
        await waitFor(() => gateway.lines.some(({ state }) => state === "cancelled"), 1_000, "the record");
        return `upstream closed after ${ms(took)}, recorded as cancelled`;
      }),
  },
  {
    id: "B5",
    fault: "client leaves mid-stream",
    run: () =>
      withStage(
        { upstream: { script: () => ({ text: words(500), stream: { delayMs: 20 } }) } },
        async ({ simulator, gateway }) => {
          const connection = await ask(gateway.url, { ...hello, stream: true });
          await waitFor(() => connection.received().includes("fox"), 5_000, "the first words");
          connection.socket.destroy();
          const took = await waitFor(() => simulator.counts.aborted === 1, 1_000, "cancelling the upstream");
          return `upstream closed after ${ms(took)}`;
        },
      ),
  },
  {
    id: "B6",
    fault: "client leaves while a summary is written for it",
    run: () =>
      withStage({ upstream: { protocol: "openai-chat" } }, async ({ simulator, gateway }) => {
        simulator.failNext({ kind: "silence" });
        const input = Array.from({ length: 9 }, (_, i) => ({
          type: "message",
          role: i % 2 === 0 ? "user" : "assistant",
          content: words(20),
        }));
        const text = JSON.stringify({ model: "gpt-4o", input });
        const connection = await openRaw(gateway.url);
        connection.socket.write(
          `${head(gateway.url, `content-length: ${text.length}\r\n`).replace(chat, "/v1/responses/compact")}\r\n${text}`,
        );
        await simulator.waitFor(({ counts }) => counts.requests === 1);
        connection.socket.destroy();
        await waitFor(() => simulator.counts.aborted === 1, 2_000, "cancelling the summary");
        requireEqual((await gateway.post(chat, hello)).status, 200, "the next request");
        return "the summary is cancelled, the next request answered";
      }),
  },
  {
    id: "B7",
    fault: "reader that never reads, endless stream",
    run: () =>
      withEndless(async (upstream) => {
        const child = await startChild({
          config: simConfig(upstream.url, { server: { deadlines: { drain: "3s" } } }),
          env: { SIM_KEY: "k" },
        });
        try {
          await fetch(`${child.url}/healthz`);
          const before = child.memory();
          const startedAt = performance.now();
          const connection = await ask(child.url, { ...hello, stream: true });
          connection.socket.pause();
          await waitFor(() => upstream.closedAt() > 0, 15_000, "dropping the reader");
          const grown = child.memory() - before;
          require(grown < 40, `memory grew by ${grown.toFixed(0)} MB`);
          connection.socket.destroy();
          const took = ms(upstream.closedAt() - startedAt);
          return `memory +${grown.toFixed(0)} MB, ${(upstream.written() / 1e6).toFixed(1)} MB taken from upstream, dropped after ${took} (drain limit 3 s; 60 s unless set)`;
        } finally {
          await child.stop();
        }
      }),
  },
  {
    id: "B8",
    fault: "client behind a peer that stops passing packets",
    run: () =>
      withEndless(async (upstream) => {
        const yaml = JSON.stringify(simConfig(upstream.url, { server: { deadlines: { drain: "2s" } } }));
        return withDemo({ yaml, env: { SIM_KEY: "k" } }, async (gateway) => {
          const port = Number(new URL(gateway.url).port);
          let passing = true;
          const middle = createTcpServer((client) => {
            const server = connect({ host: "127.0.0.1", port });
            client.on("data", (chunk) => server.write(chunk));
            server.on("data", (chunk) => {
              if (passing) client.write(chunk);
              else server.pause();
            });
            for (const socket of [client, server]) socket.on("error", () => undefined);
          });
          await new Promise<void>((resolve) => middle.listen(0, "127.0.0.1", resolve));
          const connection = await openRaw(`http://127.0.0.1:${(middle.address() as AddressInfo).port}`);
          const text = JSON.stringify({ ...hello, stream: true });
          connection.socket.write(`${head(gateway.url, `content-length: ${text.length}\r\n`)}\r\n${text}`);
          await waitFor(() => connection.received().includes("xxx"), 5_000, "the first words");
          passing = false;
          const took = await waitFor(() => upstream.closedAt() > 0, 20_000, "releasing the upstream");
          connection.socket.destroy();
          middle.close();
          return `upstream released after ${ms(took)}; TCP keep-alive from 30 s and a ping every 10 s for peers that are gone`;
        });
      }),
  },
  {
    id: "B9",
    fault: "same Idempotency-Key, parallel and later",
    run: () =>
      withStage(
        { upstream: { script: () => ({ text: words(20), stream: { delayMs: 3 } }) } },
        async ({ simulator, gateway }) => {
          const headers = { "idempotency-key": "once" };
          const body = { ...hello, stream: true };
          const answers = await Promise.all(
            Array.from({ length: 20 }, async () => (await gateway.post(chat, body, headers)).text()),
          );
          requireEqual(new Set(answers).size, 1, "different answers");
          require(answers[0]?.includes("[DONE]") === true, "not complete");
          requireEqual(await (await gateway.post(chat, body, headers)).text(), answers[0], "the later one");
          requireEqual(simulator.counts.requests, 1, "upstream calls");
          requireEqual((await gateway.post(chat, { ...body, n: 1 }, headers)).status, 409, "another body");
          await gateway.post(chat, body, { ...headers, authorization: "Bearer other" });
          requireEqual(simulator.counts.requests, 2, "calls after another tenant's");
          return "21 answers from 1 upstream call; another body 409; not shared between tenants";
        },
      ),
  },
  {
    id: "B10",
    fault: "retry without a key after a lost response",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        await gateway.post(chat, hello);
        await gateway.post(chat, hello);
        requireEqual(simulator.counts.requests, 2, "upstream calls");
        return "sent again, as documented; a chat session takes one turn at a time (409)";
      }),
  },
  {
    id: "B11",
    fault: "CR/LF in headers, model, session",
    run: () =>
      withDemo({}, async ({ url, post }) => {
        const injected = await sendRaw(url, `${head(url, "x-session-id: a\rx: b\r\ncontent-length: 2\r\n")}\r\n{}`);
        requireEqual(statusOf(injected), 400, "a bare CR in a header");
        const response = await post("/v1/messages", {
          model: "m\r\nx-evil: 1\n\nevent: evil",
          max_tokens: 50,
          stream: true,
          messages: [{ role: "user", content: "a\r\n\r\nevent: evil\ndata: {}" }],
        });
        const events = await response.text();
        requireEqual(response.headers.get("x-evil"), null, "header");
        require(!/^event: evil/m.test(events), "an event was injected");
        return "400; SSE stays one JSON line per event";
      }),
  },
  {
    id: "B12",
    fault: "40 KB header; 300 headers",
    run: () =>
      withDemo({}, async ({ url }) => {
        const large = await sendRaw(
          url,
          `GET /healthz HTTP/1.1\r\nhost: ${hostOf(url)}\r\nx: ${"a".repeat(40_000)}\r\n\r\n`,
        );
        requireEqual(statusOf(large), 431, "large");
        const many = await sendRaw(
          url,
          `GET /healthz HTTP/1.1\r\nhost: ${hostOf(url)}\r\n${Array.from({ length: 300 }, (_, i) => `x-${i}: 1\r\n`).join("")}connection: close\r\n\r\n`,
        );
        requireEqual(statusOf(many), 431, "many");
        return "431 both";
      }),
  },
  {
    id: "B13",
    fault: "Content-Length with Transfer-Encoding (smuggling)",
    run: () =>
      withDemo({}, async ({ url }) => {
        const both = await sendRaw(
          url,
          `${head(url, "content-length: 5\r\ntransfer-encoding: chunked\r\n")}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: ${hostOf(url)}\r\n\r\n`,
        );
        requireEqual(statusOf(both), 400, "both lengths");
        requireEqual(both.match(/HTTP\/1\.1/g)?.length, 1, "answers");
        const twice = await sendRaw(url, `${head(url, "content-length: 2\r\ncontent-length: 3\r\n")}\r\n{}x`);
        requireEqual(statusOf(twice), 400, "two lengths");
        return "400, one answer, connection closed";
      }),
  },
  {
    id: "B14",
    fault: "X-Forwarded-* and x-midfold-* from a client",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        const headers = {
          "x-forwarded-for": "1.2.3.4",
          "x-forwarded-host": "evil",
          "x-midfold-window": "5",
          "x-real-ip": "1.2.3.4",
          forwarded: "for=1",
        };
        await gateway.post(chat, hello, headers);
        const sent = posts(simulator)[0]?.headers ?? {};
        for (const name of Object.keys(headers)) requireEqual(sent[name], undefined, name);
        return "none reaches the upstream";
      }),
  },
  {
    id: "B15",
    fault: "hop-by-hop headers and cookies",
    run: () =>
      withStage({}, async ({ simulator, gateway }) => {
        await new Promise<void>((resolve, reject) => {
          const text = JSON.stringify(hello);
          const sent = httpRequest(
            `${gateway.url}${chat}`,
            {
              method: "POST",
              headers: {
                "content-type": "application/json",
                "content-length": text.length,
                connection: "keep-alive, x-hop",
                "x-hop": "1",
                te: "trailers",
                cookie: "a=b",
                "proxy-authorization": "Basic eA==",
                authorization: "Bearer caller-key",
              },
            },
            (response) => response.resume().on("end", resolve),
          );
          sent.on("error", reject);
          sent.end(text);
        });
        const sent = posts(simulator)[0]?.headers ?? {};
        for (const name of ["x-hop", "te", "cookie", "proxy-authorization"]) requireEqual(sent[name], undefined, name);
        requireEqual(sent.authorization, "Bearer sk-upstream-canary-7f3a", "authorization");
        return "none reaches the upstream; the credential is the configured one";
      }),
  },
];
