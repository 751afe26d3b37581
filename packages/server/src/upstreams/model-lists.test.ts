import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createUpstreamClient } from "@midfold/wire";
import { expect, it } from "vitest";
import type { UpstreamConfig } from "../config/config.ts";
import { loadConfig } from "../config/load-config.ts";
import { createModelLists } from "./model-lists.ts";

it("a server that hangs holds nobody up: what is known stands in until its list arrives", async () => {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => void held.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream = { provider: "vllm", baseUrl: `http://127.0.0.1:${port}/v1`, credentials: "none" };
  const config = loadConfig({ file: "test.yaml", text: JSON.stringify({ upstreams: { slow: upstream } }) }, {});
  const client = createUpstreamClient({});
  const lists = createModelLists({ config, client, now: Date.now, patienceMs: 20, onError: () => undefined });
  const slow = config.upstreams["slow"] as UpstreamConfig;
  try {
    expect(await lists.entriesOf(slow)).toEqual([]);
    await expect.poll(() => held.length).toBe(1);
    held[0]?.writeHead(200, { "content-type": "application/json" });
    held[0]?.end(JSON.stringify({ object: "list", data: [{ id: "late", object: "model", max_model_len: 4_096 }] }));
    await expect.poll(() => lists.entriesOf(slow)).toMatchObject([{ id: "late", contextWindow: 4_096 }]);
  } finally {
    server.closeAllConnections();
    server.close();
    await client.close();
  }
});
