import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { type Check, check, ms, require, requireEqual, waitFor } from "./check.ts";
import { simConfig, startChild } from "./child-gateway.ts";
import { withEndless } from "./endless-upstream.ts";
import { ask, head } from "./raw-ask.ts";
import { openRaw, type RawConnection, statusOf } from "./raw-socket.ts";
import { chat, hello, withDemo, withStage, words } from "./setup.ts";

export const connectionChecks: readonly Check[] = [
  check(
    "B1",
    "headers one byte a second",
    withDemo,
    { yaml: '{"server":{"deadlines":{"headers":"1s"}}}' },
    async ({ url }) => {
      const connection = await openRaw(url);
      connection.socket.write(`POST ${chat} HTTP/1.1\r\nhost: x\r\nx-slow: `);
      const drip = setInterval(() => connection.socket.write("a"), 200);
      const took = await connection.closed.finally(() => clearInterval(drip));
      require(took < 6_000, `held ${ms(took)}`);
      return `closed after ${ms(took)} with a limit of 1 s (15 s unless set), status ${statusOf(connection.received())}`;
    },
  ),
  check(
    "B2",
    "body one byte a second",
    withDemo,
    { yaml: '{"server":{"deadlines":{"headers":"1s","request":"2s"}}}' },
    async ({ url }) => {
      const connection = await openRaw(url);
      connection.socket.write(`${head(url, "content-length: 1000\r\n")}\r\n`);
      const drip = setInterval(() => connection.socket.write(" "), 200);
      const took = await connection.closed.finally(() => clearInterval(drip));
      require(took < 8_000, `held ${ms(took)}`);
      return `closed after ${ms(took)} with a limit of 2 s (60 s unless set)`;
    },
  ),
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
  check("B4", "client leaves before headers", withStage, {}, async ({ simulator, gateway }) => {
    simulator.failNext({ kind: "silence" });
    const connection = await ask(gateway.url, hello);
    await simulator.waitFor(({ counts }) => counts.requests === 1);
    connection.socket.destroy();
    const took = await waitFor(() => simulator.counts.aborted === 1, 1_000, "cancelling the upstream");
    await waitFor(() => gateway.lines.some(({ state }) => state === "cancelled"), 1_000, "the record");
    return `upstream closed after ${ms(took)}, recorded as cancelled`;
  }),
  check(
    "B5",
    "client leaves mid-stream",
    withStage,
    { upstream: { script: () => ({ text: words(500), stream: { delayMs: 20 } }) } },
    async ({ simulator, gateway }) => {
      const connection = await ask(gateway.url, { ...hello, stream: true });
      await waitFor(() => connection.received().includes("fox"), 5_000, "the first words");
      connection.socket.destroy();
      const took = await waitFor(() => simulator.counts.aborted === 1, 1_000, "cancelling the upstream");
      return `upstream closed after ${ms(took)}`;
    },
  ),
  check(
    "B6",
    "client leaves while a summary is written for it",
    withStage,
    { upstream: { protocol: "openai-chat" } },
    async ({ simulator, gateway }) => {
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
    },
  ),
  check("B7", "reader that never reads, endless stream", withEndless, async (upstream) => {
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
  check("B8", "client behind a peer that stops passing packets", withEndless, async (upstream) => {
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
];
