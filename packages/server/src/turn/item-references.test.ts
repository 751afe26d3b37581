import { startSimulator } from "@midfold/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function setup(route: object = {}) {
  const simulator = await startSimulator({
    protocol: "openai-chat",
    script: (turn) => ({ text: `Word ${turn.messages.length}.` }),
  });
  const gateway = await startGateway({
    env: { KEY: "sk-upstream" },
    yaml: JSON.stringify({
      upstreams: { sim: { baseUrl: `${simulator.url}/v1`, apiKeyEnv: "KEY" } },
      routes: [{ model: "*", upstream: "sim", ...route }],
    }),
  });
  open.push(simulator, gateway);
  const ask = (input: readonly object[], more: object = {}) =>
    gateway.post("/v1/responses", { model: "gpt-4o", input, ...more });
  const said = () => {
    const last = simulator.requests.filter(({ method }) => method === "POST").at(-1)?.body;
    return (last as { messages: { role: string; content: unknown }[] }).messages;
  };
  return { gateway, ask, said };
}

const user = (content: string) => ({ role: "user", content });
const refer = (id: string) => ({ type: "item_reference", id });
interface Reply {
  readonly output: readonly { readonly id: string; readonly type: string }[];
}

describe("an item that stands for one of an earlier answer", () => {
  it("is what that answer said, where the upstream keeps none; answer by answer", async () => {
    const { ask, said } = await setup();
    const first = (await (await ask([user("one")])).json()) as Reply;
    const one = refer(first.output[0]!.id);
    const second = (await (await ask([user("one"), one, user("two")])).json()) as Reply;
    const two = refer(second.output[0]!.id);
    const reply = await ask([user("one"), one, user("two"), two, user("three")]);
    expect(reply.headers.get("x-midfold-dropped")).toBeNull();
    expect(said()).toEqual([
      { role: "user", content: "one" },
      { role: "assistant", content: "Word 1." },
      { role: "user", content: "two" },
      { role: "assistant", content: "Word 3." },
      { role: "user", content: "three" },
    ]);
  });

  it("is left out where nobody knows it, which header, log and record say", async () => {
    const { gateway, ask, said } = await setup();
    const kept = (await (await ask([user("one")])).json()) as Reply;
    const forgotten = (await (await ask([user("secret")], { store: false })).json()) as Reply;
    const ids = ["msg_nobody", forgotten.output[0]!.id, kept.output[0]!.id.replace(/_0$/, "_9")];
    const reply = await ask([user("one"), ...ids.map(refer), user("two")]);
    expect([reply.status, reply.headers.get("x-midfold-dropped")]).toEqual([200, "item_reference"]);
    expect(said().map(({ content }) => content)).toEqual(["one", "two"]);
    expect(gateway.lines.find(({ msg }) => msg === "parts of a conversation were left out")).toMatchObject({
      level: 40,
      dropped: ["item_reference"],
    });
    const { items } = await (await fetch(`${gateway.url}/api/console/requests`)).json();
    const record = await (await fetch(`${gateway.url}/api/console/requests/${items[0].id}`)).json();
    expect(JSON.stringify(record)).toContain("item_reference");
  });

  it("is refused where nobody knows it and nothing else is there; the error says what to send instead", async () => {
    const { ask } = await setup();
    const reply = await ask([refer("msg_nobody"), refer("msg_either")]);
    const message =
      "input: what it refers to (msg_nobody and 1 more) is not kept here; send the items themselves instead of references to them.";
    expect([reply.status, await reply.json()]).toMatchObject([400, { error: { param: "input", message } }]);
  });
});

describe("a long request that goes on from a kept answer", () => {
  it("is folded with what came before it, also in a thread", async () => {
    const { ask, said } = await setup({ window: 16_000 });
    const first = (await (await ask([user("Never open the vault MERGANSER.")])).json()) as Reply & { id: string };
    const filler = "The quick brown fox jumps over the lazy dog. ".repeat(150);
    const input = Array.from({ length: 40 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `${i} ${filler}`,
    }));
    const reply = await ask([...input, user("What now?")], { previous_response_id: first.id });
    expect([reply.status, reply.headers.get("x-context-compressed")]).toEqual([200, "true"]);
    expect(said().at(-1)).toEqual({ role: "user", content: "What now?" });
    expect(JSON.stringify(said())).toContain("MERGANSER");
  });
});

describe("an item of a type nobody knows", () => {
  it("is left out, which header and log say", async () => {
    const { gateway, ask, said } = await setup();
    const reply = await ask([user("one"), { type: "telepathy", text: "x" }, user("two")]);
    expect([reply.status, reply.headers.get("x-midfold-dropped")]).toEqual([200, "telepathy"]);
    expect(said().map(({ content }) => content)).toEqual(["one", "two"]);
    expect(gateway.lines.some(({ msg }) => msg === "parts of a conversation were left out")).toBe(true);
  });

  it("is refused where nothing else is in the conversation", async () => {
    const { ask } = await setup();
    const reply = await ask([{ type: "telepathy", text: "x" }]);
    expect([reply.status, await reply.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error", param: "input", message: expect.stringContaining("telepathy") } },
    ]);
  });
});
