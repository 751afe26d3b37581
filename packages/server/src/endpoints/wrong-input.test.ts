import { startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setup(protocol: "openai-chat" | "openai-responses" = "openai-chat") {
  const simulator = await startSimulator({ protocol });
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY", protocol } },
      routes: [{ model: "*", upstream: "sim" }],
    }),
  });
  open.push(simulator, gateway);
  const asked = () => simulator.requests.filter(({ method }) => method === "POST").length;
  return { gateway, asked };
}

const openai = (param: string, message: RegExp) => ({
  error: { type: "invalid_request_error", param, message: expect.stringMatching(message) },
});

describe("a Responses request that refers to what is not here", () => {
  it.each([
    [{ previous_response_id: 5 }, "previous_response_id", /^previous_response_id: must be a string, not a number/],
    [{ previous_response_id: ["resp_1"] }, "previous_response_id", /must be a string/],
    [{ conversation: "conv_1" }, "conversation", /conversation.*not kept here.*previous_response_id/],
    [{ conversation: { id: "conv_1" } }, "conversation", /conversation/],
    [{ prompt: { id: "pmpt_1" } }, "prompt", /prompt.*not kept here.*instructions/],
  ])("is refused before a chat upstream: %j", async (more, param, message) => {
    const { gateway, asked } = await setup();
    const body = { model: "gpt-4o", input: "hi", ...more };
    for (const path of ["/v1/responses", "/v1/responses/input_tokens"]) {
      const reply = await gateway.post(path, body);
      expect([reply.status, await reply.json()]).toMatchObject([400, openai(param, message)]);
    }
    expect(asked()).toBe(0);
  });

  it("is taken where the field is null, which clients send for nothing", async () => {
    const { gateway } = await setup();
    const body = { model: "gpt-4o", input: "hi", previous_response_id: null, conversation: null, prompt: null };
    expect((await gateway.post("/v1/responses", body)).status).toBe(200);
  });

  it("is the upstream's to judge where it speaks Responses itself", async () => {
    const { gateway, asked } = await setup("openai-responses");
    await gateway.post("/v1/responses", { model: "gpt-4o", input: "hi", conversation: "conv_1" });
    expect(asked()).toBe(1);
  });
});

describe("counting tokens", () => {
  it.each([
    [{}, /^messages: Field required/],
    [{ messages: [] }, /^messages: at least one message is required/],
    [{ messages: "hi" }, /^messages: must be an array/],
  ])("of no messages is refused as Anthropic does: %j", async (more, message) => {
    const { gateway } = await setup();
    const reply = await gateway.post("/v1/messages/count_tokens", { model: "claude-sonnet-4-5", ...more });
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { type: "error", error: { type: "invalid_request_error", message: expect.stringMatching(message) } },
    ]);
  });

  it("of instructions alone is possible in Responses; of an answer nobody knows it is not", async () => {
    const { gateway } = await setup();
    const count = (more: object) => gateway.post("/v1/responses/input_tokens", { model: "gpt-4o", ...more });
    const alone = await count({ instructions: "Be brief." });
    expect([alone.status, (await alone.json()).input_tokens]).toEqual([200, expect.any(Number)]);
    const unknown = await count({ input: "hi", previous_response_id: "resp_nobody" });
    expect([unknown.status, await unknown.json()]).toMatchObject([400, openai("previous_response_id", /not found/)]);
  });
});
