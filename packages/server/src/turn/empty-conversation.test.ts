import { afterAll, beforeAll, expect, it } from "vitest";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGateway({ yaml: "routes: [{ model: '*', upstream: { provider: demo } }]" });
});
afterAll(() => gateway.close());

it.each([
  ["/v1/chat/completions", { messages: [] }, "messages: at least one message is required"],
  ["/v1/messages", { messages: [], max_tokens: 10 }, "messages: at least one message is required"],
  ["/v1/responses", { input: [] }, "input: at least one item is required"],
  ["/v1/responses", { instructions: "Be brief." }, "input: at least one item is required"],
])("a conversation without a message is refused on %s: %j", async (path, body, message) => {
  for (const stream of [false, true]) {
    const response = await gateway.post(path, { model: "midfold-demo", stream, ...body });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: "invalid_request_error", message } });
  }
});
