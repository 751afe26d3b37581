import type { Store } from "@midfold/store";
import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as schemas from "../api/console-schemas.ts";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";
import { temporaryStore } from "../testing/temporary-store.ts";

let simulator: Simulator;
let gateway: GatewayUnderTest;
let store: Store;

const words = "The quick brown fox jumps over the lazy dog. ".repeat(20);
const turns = (n: number) =>
  Array.from({ length: n * 2 + 1 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Turn ${i}. ${words}`,
  }));

const open = async (capture: boolean) => {
  gateway = await startGateway({
    store,
    env: { KEY: "k" },
    yaml: JSON.stringify({
      server: { capture },
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", window: 32_000 }],
    }),
  });
};
beforeEach(async () => {
  store = await temporaryStore({ captureContent: true });
  simulator = await startSimulator({ protocol: "openai-chat", window: 32_000 });
  await open(true);
});
afterEach(async () => {
  await gateway.close();
  await simulator.close();
});

const call = async (path: string, method = "GET", body?: unknown) => {
  const response = await fetch(`${gateway.url}/api/console${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
  });
  return { status: response.status, body: await response.json() };
};
const send = async (messages: readonly object[], more: object = {}) => {
  const response = await gateway.post("/v1/chat/completions", { model: "gpt-4o", messages, ...more });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
};
const sent = (): readonly { readonly content: string }[] => {
  const body = simulator.requests.at(-1)?.body as { messages: { content: string }[] } | undefined;
  return body?.messages ?? [];
};
const outcomes = async () =>
  schemas.requestListSchema.parse((await call("/requests")).body).items.map(({ fold }) => fold.outcome);
const conversation = async () => {
  const { items } = schemas.conversationListSchema.parse((await call("/conversations")).body);
  return items[0]?.id as string;
};
const change = async (wish: object) => call(`/conversations/${await conversation()}`, "PATCH", wish);

describe("a conversation of the gateway, by hand", () => {
  it("is folded although it fits, stays so byte for byte, and is sent whole again", async () => {
    await send(turns(12));
    expect((await change({ fold: true })).body).toEqual({ fold: true, pinned: [], leftOut: [] });
    await send(turns(13));
    const first = sent().map(({ content }) => content);
    await send(turns(14));
    const then = sent().map(({ content }) => content);
    expect(first.length).toBeLessThan(27);
    expect(then.slice(0, first.length)).toEqual(first);
    await change({ fold: false });
    await send(turns(15));
    expect(sent().length).toBe(31);
    expect(await outcomes()).toEqual(["fits", "reused", "folded", "fits"]);
  });

  it("keeps a pinned message word for word through a fold", async () => {
    await send(turns(12));
    await change({ fold: true, message: 7, pinned: true });
    await send(turns(13));
    expect(sent().length).toBeLessThan(27);
    expect(sent().map(({ content }) => content)).toContain(`Turn 7. ${words}`);
  });

  it("leaves a message out and puts it back, and says which ones have to stay", async () => {
    await send(turns(3));
    await change({ message: 2, leftOut: true });
    await send(turns(4));
    expect(sent().map(({ content }) => content.slice(0, 7))).not.toContain("Turn 2.");
    expect(sent().length).toBe(8);
    await change({ message: 2, leftOut: false });
    await send(turns(4));
    expect(sent().length).toBe(9);
    for (const message of [0, 8]) {
      const refused = await change({ message, leftOut: true });
      expect(refused).toMatchObject({ status: 400, body: { code: "VALIDATION_ERROR" } });
    }
    expect((await change({ pinned: true })).status).toBe(400);
    expect((await change({ message: 99, pinned: true })).status).toBe(404);
  });

  it("refuses a field that it has not and a wish that says nothing or two things, and changes nothing", async () => {
    await send(turns(3));
    const detail = async (wish: object) => {
      const { status, body } = await change(wish);
      return [status, body.detail];
    };
    expect(await detail({ fold: true, pined: true })).toEqual([
      400,
      "body.pined: there is no such field; there are fold, message, pinned, leftOut.",
    ]);
    expect(await detail({ fold: true, message: 2 })).toEqual([
      400,
      expect.stringContaining("Say whether the message is to be pinned or left out."),
    ]);
    expect(await detail({ fold: true, message: 2, pinned: true, leftOut: true })).toEqual([
      400,
      expect.stringContaining("A message is pinned or left out, not both."),
    ]);
    const { body } = await call(`/conversations/${await conversation()}`);
    expect(body.byHand).toEqual({ fold: false, pinned: [], leftOut: [] });
  });

  it("forgets a mark on a message that the client has rewritten", async () => {
    await send(turns(3));
    await change({ message: 2, leftOut: true });
    await send(turns(3).with(2, { role: "user", content: "Something else." }));
    expect(sent().map(({ content }) => content)).toContain("Something else.");
  });

  it("outlasts a restart; without captured words single messages cannot be chosen", async () => {
    await send(turns(12));
    await change({ fold: true });
    await gateway.close();
    await open(false);
    await send(turns(13));
    expect(sent().length).toBeLessThan(27);
    expect((await change({ message: 7, pinned: true })).status).toBe(404);
    const detail = schemas.conversationDetailSchema.parse((await call(`/conversations/${await conversation()}`)).body);
    expect(detail).toMatchObject({ byHand: { fold: true }, capturedRequestId: null });
  });
});

describe("what is shown of captured requests", () => {
  it("has the answer beside the request, streamed or not, and a title from the first words", async () => {
    simulator.setScript(() => ({ text: "Forty-two, of course." }));
    await send([{ role: "user", content: "What is the answer?" }]);
    await send([{ role: "user", content: "What is the answer?" }], { stream: true });
    const { items } = schemas.requestListSchema.parse((await call("/requests")).body);
    for (const { id } of items) {
      const content = schemas.requestContentSchema.parse((await call(`/requests/${id}/content`)).body);
      expect(content.answer).toBe("Forty-two, of course.");
    }
    const list = schemas.conversationListSchema.parse((await call("/conversations")).body);
    expect(list.items).toMatchObject([{ title: "What is the answer?" }]);
  });

  it("keeps the start of a very long answer and says where it was cut", async () => {
    simulator.setScript(() => ({ text: "word ".repeat(20_000) }));
    await send([{ role: "user", content: "Talk." }]);
    const { items } = schemas.requestListSchema.parse((await call("/requests")).body);
    const { answer } = schemas.requestContentSchema.parse((await call(`/requests/${items[0]?.id}/content`)).body);
    expect(answer?.length).toBeLessThan(66_000);
    expect(answer).toMatch(/\[cut here: only the first 65536 characters are kept\]$/);
  });

  it("breaks a request down into system prompt, tools, MCP servers' tools and messages", async () => {
    const tool = (name: string) => ({
      type: "function",
      function: { name, description: "Reads things.", parameters: { type: "object", properties: {} } },
    });
    await send([{ role: "system", content: "Be terse." }, ...turns(1)], {
      tools: [tool("read_file"), tool("mcp__github__list_issues")],
    });
    const { items } = schemas.requestListSchema.parse((await call("/requests")).body);
    const broken = schemas.breakdownSchema.parse((await call(`/requests/${items[0]?.id}/breakdown`)).body);
    expect(broken.parts.map(({ kind, name, server }) => [kind, name, server])).toEqual([
      ["tool", "read_file", undefined],
      ["tool", "mcp__github__list_issues", "github"],
      ["system", "System prompt", undefined],
      ["message", "user", undefined],
      ["message", "assistant", undefined],
      ["message", "user", undefined],
    ]);
    for (const { tokens } of broken.parts) expect(tokens).toBeGreaterThan(0);
  });

  it("keeps answer, system prompt, tools and title over a restart, until capture is switched off", async () => {
    simulator.setScript(() => ({ text: "Forty-two, of course." }));
    const tool = { type: "function", function: { name: "read_file", parameters: { type: "object", properties: {} } } };
    await send([{ role: "system", content: "Be terse." }, ...turns(80)], { tools: [tool] });
    const show = async () => {
      const list = async () => schemas.requestListSchema.parse((await call("/requests")).body).items;
      await expect.poll(async () => (await list()).length).toBe(1);
      const id = (await list())[0]?.id;
      const { items } = schemas.conversationListSchema.parse((await call("/conversations")).body);
      const { frames, hasContent } = schemas.requestDetailSchema.parse((await call(`/requests/${id}`)).body);
      return {
        content: await call(`/requests/${id}/content`),
        breakdown: await call(`/requests/${id}/breakdown`),
        title: items[0]?.title,
        frames,
        hasContent,
        id,
      };
    };
    const before = await show();
    expect(before.content.body.answer).toBe("Forty-two, of course.");
    expect(before.frames).toHaveLength(1);
    await gateway.close();
    await store.of("local").requests.flush();
    await open(true);
    expect(await show()).toEqual(before);
    expect((await change({ message: 3, pinned: true })).status).toBe(200);

    await gateway.close();
    await open(false);
    const { content, breakdown, hasContent, frames } = await show();
    expect([content.status, breakdown.body, hasContent, frames]).toEqual([
      404,
      { captured: false, parts: [] },
      false,
      null,
    ]);
    await store.requests.prune({ olderThan: Number.MAX_SAFE_INTEGER, keep: 0 });
    expect(await store.of("local").requests.content(before.id ?? "")).toBeUndefined();
  });

  it("keeps no words where capture is off, and says so", async () => {
    await gateway.close();
    await open(false);
    await send([{ role: "user", content: "A secret." }]);
    const { items } = schemas.requestListSchema.parse((await call("/requests")).body);
    expect((await call(`/requests/${items[0]?.id}/content`)).status).toBe(404);
    expect((await call(`/requests/${items[0]?.id}/breakdown`)).body).toEqual({ captured: false, parts: [] });
    expect(JSON.stringify((await call("/conversations")).body)).not.toContain("secret");
    await store.of("local").requests.flush();
    expect(await store.of("local").requests.content(items[0]?.id ?? "")).toBeUndefined();
  });

  it("counts savings of earlier runs", async () => {
    await send(turns(2));
    await gateway.close();
    await store.of("anyone").requests.flush();
    await open(true);
    await send(turns(3));
    await expect.poll(async () => schemas.savingsSchema.parse((await call("/savings")).body).total.requests).toBe(2);
    const none = schemas.savingsSchema.parse((await call(`/savings?since=${Date.now() + 1_000}`)).body);
    expect(none.total.requests).toBe(0);
  });
});
