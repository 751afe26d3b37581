import { type Simulator, startSimulator } from "@midfold/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { consoleOperations } from "../api/console-operations.ts";
import * as schemas from "../api/console-schemas.ts";
import { type GatewayUnderTest, startGateway } from "../testing/start-gateway.ts";

let simulator: Simulator;
let gateway: GatewayUnderTest;
const chat = "/v1/chat/completions";
const turns = (n: number) =>
  Array.from({ length: n * 2 + 1 }, (_, i) => ({
    role: i % 2 === 0 ? "user" : "assistant",
    content: `Turn ${i}. ${"The quick brown fox jumps over the lazy dog. ".repeat(20)}`,
  }));
const get = async (path: string) => {
  const response = await fetch(`${gateway.url}/api/console${path}`);
  return { status: response.status, body: await response.json() };
};

beforeEach(async () => {
  simulator = await startSimulator({ protocol: "openai-chat", window: 6_000 });
  gateway = await startGateway({
    env: { KEY: "k" },
    yaml: JSON.stringify({
      server: { capture: true },
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", window: 6_000 }],
    }),
  });
  for (const n of [2, 20, 21, 22]) await (await gateway.post(chat, { model: "gpt-4o", messages: turns(n) })).text();
  simulator.failNext({ kind: "status", status: 400, message: "no" });
  await (await gateway.post(chat, { model: "gpt-4.1", messages: [{ role: "user", content: "other" }] })).text();
});
afterEach(async () => {
  await gateway.close();
  await simulator.close();
});

describe("the console", () => {
  it("lists requests, newest first, page by page, filtered", async () => {
    const { body } = await get("/requests?limit=2");
    const page = schemas.requestListSchema.parse(body);
    expect(page.items.map(({ model }) => model)).toEqual(["gpt-4.1", "gpt-4o"]);
    const next = schemas.requestListSchema.parse((await get(`/requests?limit=9&after=${page.next}`)).body);
    expect(next.items.length).toBe(3);
    expect(next.next).toBeNull();
    const folded = schemas.requestListSchema.parse((await get("/requests?folded=true")).body);
    expect(folded.items.map(({ fold }) => fold.outcome)).toEqual(["reused", "reused", "folded"]);
    const failed = schemas.requestListSchema.parse((await get("/requests?failed=true")).body);
    expect(failed.items).toMatchObject([{ status: 400, state: "failed", errorCode: "UPSTREAM_REJECTED" }]);
    expect((await get("/requests?limit=x")).status).toBe(400);
  });

  it("knows what was done to a request that the upstream never answered, and what was refused before that", async () => {
    await simulator.close();
    await gateway.post(chat, { model: "gpt-4o", messages: turns(2) });
    await gateway.post(chat, { model: "", messages: turns(2) });
    const page = schemas.requestListSchema.parse((await get("/requests?limit=2")).body);
    expect(page.items).toMatchObject([
      { state: "failed", errorCode: "VALIDATION_ERROR", fold: { outcome: "off" } },
      { state: "failed", errorCode: "UPSTREAM_UNREACHABLE", fold: { outcome: "fits" } },
    ]);
    const id = page.items[1]?.conversationId ?? "";
    const { series } = schemas.conversationDetailSchema.parse((await get(`/conversations/${id}`)).body);
    expect(series.at(-1)).toMatchObject({ outcome: "fits", state: "failed" });
  });

  it("refuses a parameter that it has not, at every address", async () => {
    for (const { method, path } of Object.values(consoleOperations)) {
      const response = await fetch(`${gateway.url}/api${path.replaceAll(/\{\w+\}/g, "x")}?nonsense=1`, {
        method: method.toUpperCase(),
      });
      expect([path, response.status, await response.json()]).toEqual([
        path,
        400,
        expect.objectContaining({ detail: expect.stringMatching(/^query\.nonsense: there is no such field/) }),
      ]);
    }
    expect((await get("/requests?modle=gpt-4.1")).body.detail).toBe(
      "query.modle: there is no such field; there are " +
        "model, client, conversation, session, folded, failed, since, until, limit, after.",
    );
  });

  it("shows one request with its plan, and its content while that is captured", async () => {
    const { body } = await get("/requests?folded=true");
    const { id } = body.items.at(-1);
    const detail = schemas.requestDetailSchema.parse((await get(`/requests/${id}`)).body);
    expect(detail.fold).toMatchObject({ outcome: "folded", window: 6_000 });
    expect(detail.decisions?.some((decision) => decision.do === "fold")).toBe(true);
    expect(detail.reasons.length).toBeGreaterThan(0);
    expect(detail.frames?.length).toBeGreaterThan(0);
    const content = schemas.requestContentSchema.parse((await get(`/requests/${id}/content`)).body) as {
      before: unknown[];
      after: unknown[];
    };
    expect(content.after.length).toBeLessThan(content.before.length);
    expect((await get("/requests/req_nobody")).status).toBe(404);
  });

  it("groups conversations and draws their saw-tooth", async () => {
    const { items } = schemas.conversationListSchema.parse((await get("/conversations")).body);
    const long = items.find(({ requests }) => requests === 4);
    expect(long).toMatchObject({ model: "gpt-4o", folds: 1, window: 6_000 });
    const { series } = schemas.conversationDetailSchema.parse((await get(`/conversations/${long?.id}`)).body);
    expect(series.map(({ outcome }) => outcome)).toEqual(["fits", "folded", "reused", "reused"]);
    expect(series[1]?.tokensBefore).toBeGreaterThan(series[1]?.tokensAfter ?? 0);
  });

  it("sums what was saved and how far counts were off", async () => {
    const savings = schemas.savingsSchema.parse((await get("/savings")).body);
    expect(savings.total).toMatchObject({ requests: 5, folded: 3, failed: 1 });
    expect(savings.total.tokensBefore).toBeGreaterThan(savings.total.tokensAfter);
    expect(savings.total.savedMicros).toBeGreaterThan(0);
    expect(savings.byModel.map(({ model }) => model)).toContain("gpt-4o");
    const drift = schemas.driftSchema.parse((await get("/drift")).body);
    const exact = drift.models.find(({ model }) => model === "gpt-4o");
    expect(exact?.points.length).toBe(4);
    expect(exact?.meanError).toBeLessThan(0.02);
    const overview = schemas.overviewSchema.parse((await get("/overview")).body);
    expect(overview).toMatchObject({ requests: 5, folding: true, capture: true });
  });

  it("feeds requests as they come", async () => {
    const feed = await fetch(`${gateway.url}/api/console/feed`);
    const reader = feed.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const until = async (what: string) => {
      while (!text.includes(what)) text += (await reader?.read())?.value ?? "";
    };
    await until("event: ready");
    await (await gateway.post(chat, { model: "gpt-4o", messages: turns(1) })).text();
    await until("event: request-end");
    await reader?.cancel();
    const lines = text.split("\n").filter((entry) => entry.startsWith("data: "));
    const events = lines.map((line) => schemas.feedEventSchema.parse(JSON.parse(line.slice(6))));
    expect(events.length).toBeGreaterThanOrEqual(2);
  });
});
