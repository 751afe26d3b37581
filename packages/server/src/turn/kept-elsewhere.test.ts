import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const words = "Your input exceeds the context window of this model. Please adjust your input and try again.";
const refusal = { error: { message: words, type: "invalid_request_error", param: "input", code: null } };

async function setup() {
  let calls = 0;
  const upstream = createServer((request, response) => {
    request.resume();
    if (request.method === "POST") calls++;
    response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(refusal));
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const gateway = await startGateway({
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl, protocol: "openai-responses" } },
      routes: [{ model: "*", upstream: "sim" }],
    }),
  });
  open.push(upstream, gateway);
  return { gateway, calls: () => calls };
}

describe("a conversation that the upstream keeps and that has become too long for it", () => {
  it("ends in the upstream's own words, and log and record say why it was not folded", async () => {
    const { gateway, calls } = await setup();
    const body = { model: "gpt-5", input: "And now?", previous_response_id: "resp_9" };
    const reply = await gateway.post("/v1/responses", body);
    expect([reply.status, await reply.json(), calls()]).toEqual([400, refusal, 1]);
    const said = "the upstream keeps the conversation that is too long for it, so it cannot be folded here";
    expect(gateway.lines.map(({ msg }) => msg)).toContain(said);
    const { items } = await (await fetch(`${gateway.url}/api/console/requests`)).json();
    expect(items[0].warnings).toMatchObject([{ code: "kept-by-upstream" }]);
  });

  it("says no such thing where the conversation is in the request", async () => {
    const { gateway } = await setup();
    await gateway.post("/v1/responses", { model: "gpt-5", input: "And now?" }, { "x-disable-compression": "true" });
    const { items } = await (await fetch(`${gateway.url}/api/console/requests`)).json();
    expect(items[0].warnings).toEqual([]);
  });
});
