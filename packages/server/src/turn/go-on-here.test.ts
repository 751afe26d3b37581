import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@midfold/store";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { startGateway } from "../testing/start-gateway.ts";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

interface Asked {
  readonly input: readonly object[] | string;
  readonly previous_response_id?: string;
  readonly stream?: boolean;
}
interface Answer {
  readonly status?: number;
  readonly body?: object;
}

/** A server of the Responses API, with what it answers beside "Answer 1.", "Answer 2." and so on. */
async function setup(
  answer: (asked: Asked) => Answer | Promise<Answer>,
  stores: readonly (Store | undefined)[] = [undefined],
) {
  const asked: Asked[] = [];
  const upstream = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    if (request.method !== "POST") return response.writeHead(404).end("{}");
    const body = JSON.parse(text) as Asked;
    asked.push(body);
    const { status = 200, body: more = {} } = await answer(body);
    if (status !== 200) {
      return response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(more));
    }
    const said = { type: "output_text", text: `Answer ${asked.length}.`, annotations: [] };
    const item = {
      id: `msg_${asked.length}`,
      type: "message",
      role: "assistant",
      status: "completed",
      content: [said],
    };
    const husk = { id: `rs_${asked.length}`, type: "reasoning", summary: [] };
    const whole = {
      ...{ id: `resp_${asked.length}`, object: "response", model: "m", status: "completed", output: [husk, item] },
      ...{ usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 }, ...more },
    };
    if (body.stream !== true) {
      return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    }
    const events = [
      { type: "response.created", response: { ...whole, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 1, item: { ...item, content: [] } },
      { type: "response.output_text.delta", item_id: item.id, output_index: 1, content_index: 0, delta: said.text },
      { type: "response.output_item.done", output_index: 1, item },
      { type: "response.completed", response: whole },
    ];
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(`event:${event.type}\ndata:${JSON.stringify(event)}\n\n`);
    return response.end();
  });
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
  const yaml = JSON.stringify({
    upstreams: { sim: { baseUrl, protocol: "openai-responses" } },
    routes: [{ model: "*", upstream: "sim", window: 16_000 }],
  });
  open.push(upstream);
  const replicas = [];
  for (const store of stores) {
    const gateway = await startGateway({ yaml, ...(store === undefined ? {} : { store }) });
    open.push(gateway);
    const client = new OpenAI({ apiKey: "sk-none", baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    replicas.push({
      client,
      ask: (input: string, more: object = {}) => client.responses.create({ model: "m", input, ...more }),
      /** What the record of the newest request warns of. */
      warnings: async () => {
        const { items } = await (await fetch(`${gateway.url}/api/console/requests`)).json();
        return (items as { warnings: { code: string; message: string }[] }[])[0]!.warnings;
      },
      logged: (start: string) => gateway.lines.filter(({ msg }) => String(msg).startsWith(start)),
    });
  }
  return { asked, ...replicas[0]!, other: replicas.at(-1)! };
}

const texts = (asked: Asked | undefined) =>
  typeof asked?.input === "string"
    ? [asked.input]
    : asked?.input.map((item) => {
        const { content } = item as { content: string | readonly { text: string }[] };
        return typeof content === "string" ? content : content[0]?.text;
      });

describe("an upstream of the Responses API that keeps no answers", () => {
  it.each([{ store: false }, {}])("gets the history from here once its answer said %o", async (store) => {
    const { ask, asked, warnings, logged } = await setup(() => ({ body: store }));
    const first = await ask("one");
    const second = await ask("two", { previous_response_id: first.id });
    const third = await ask("three", { previous_response_id: second.id });
    expect(third.output_text).toBe("Answer 3.");
    expect(texts(asked[2])).toEqual(["one", "Answer 1.", "two", "Answer 2.", "three"]);
    expect(asked.map((each) => each.previous_response_id)).toEqual([undefined, undefined, undefined]);
    expect(await warnings()).toMatchObject([{ code: "history-added", message: expect.stringContaining("resp_2") }]);
    expect(logged("the upstream keeps no answers")).toMatchObject([{ level: 40, upstream: "sim" }]);
  });

  it("gets it also where the answers are streams", async () => {
    const { client, ask, asked } = await setup(() => ({ body: { store: false } }));
    const stream = await client.responses.create({ model: "m", input: "one", stream: true });
    let id = "";
    for await (const event of stream) if (event.type === "response.completed") id = event.response.id;
    await ask("two", { previous_response_id: id });
    expect(texts(asked[1])).toEqual(["one", "Answer 1.", "two"]);
  });

  it("is known by its refusal of an id, and the history is then kept, where it claimed to keep its answers", async () => {
    const { ask, asked, warnings, logged } = await setup(({ previous_response_id: id }) =>
      id === undefined
        ? { body: { store: true } }
        : { status: 400, body: { error: { message: "'previous_response_id' is not supported.", type: "x" } } },
    );
    const first = await ask("one");
    const lost = ask("two", { previous_response_id: first.id });
    await expect(lost).rejects.toMatchObject({ status: 400, message: expect.stringContaining("is not supported") });
    expect(await warnings()).toMatchObject([{ code: "history-unknown", message: expect.stringContaining(first.id) }]);
    expect(logged("the answer that a request goes on from is known neither to the upstream nor here")).toHaveLength(1);
    const anew = await ask("three");
    await ask("four", { previous_response_id: anew.id });
    expect(texts(asked.at(-1))).toEqual(["three", "Answer 3.", "four"]);
  });

  it("is asked once more, with the history, after it refused the id of an answer that another replica just stores", async () => {
    const folder = mkdtempSync(join(tmpdir(), "midfold-answers-"));
    open.push({ close: () => rmSync(folder, { recursive: true }) });
    const store = await openStore({ url: `sqlite:${join(folder, "test.db")}` });
    open.push(store);
    let write = async () => {};
    const of: Store["of"] = (owner) => {
      const real = store.of(owner);
      const putSoon: typeof real.folds.putSoon = async (fold) => {
        write = () => real.folds.putSoon(fold);
      };
      return { ...real, folds: { ...real.folds, putSoon } };
    };
    const { ask, asked, other } = await setup(
      async ({ previous_response_id: id }) => {
        if (id === undefined) return { body: { store: false } };
        await write();
        return { status: 404, body: { error: { message: `Response with id '${id}' not found.`, type: "x" } } };
      },
      [{ ...store, of }, store],
    );
    const first = await ask("one");
    const second = await other.ask("two", { previous_response_id: first.id });
    expect(second.output_text).toBe("Answer 3.");
    expect(texts(asked[2])).toEqual(["one", "Answer 1.", "two"]);
    expect(await other.warnings()).toMatchObject([{ code: "history-added" }]);
    expect(other.logged("the upstream keeps no answers")).toMatchObject([
      { why: "it does not know an answer that it gave" },
    ]);
  });

  it("has long histories folded as other upstreams have", async () => {
    const { ask, asked } = await setup(() => ({ body: { store: false } }));
    let id = (await ask("Never open the vault MERGANSER.")).id;
    for (let at = 0; at < 8; at++) {
      const filler = `${at} ${"The quick brown fox jumps over the lazy dog. ".repeat(300)}`;
      ({ id } = await ask(filler, { previous_response_id: id }));
    }
    expect(JSON.stringify(asked.at(-1)).length).toBeLessThan(70_000);
    expect(JSON.stringify(asked.at(-1))).toContain("MERGANSER");
  });
});

describe("an upstream that keeps its answers", () => {
  it("gets the id, and nothing is kept here", async () => {
    const { ask, asked, warnings, logged } = await setup(() => ({ body: { store: true } }));
    const first = await ask("one");
    await ask("two", { previous_response_id: first.id });
    expect(asked[1]).toMatchObject({ input: "two", previous_response_id: first.id });
    expect([await warnings(), logged("the upstream keeps no answers")]).toEqual([[], []]);
  });

  it("is not taken for another because of an answer that the client asked it not to keep, or an unknown id", async () => {
    const { ask, logged } = await setup(({ previous_response_id: id }) =>
      id === undefined
        ? { body: { store: false } }
        : { status: 404, body: { error: { message: `Previous response with id '${id}' not found.`, type: "x" } } },
    );
    await ask("one", { store: false });
    await expect(ask("two", { previous_response_id: "resp_old" })).rejects.toMatchObject({ status: 404 });
    expect(logged("the upstream keeps no answers")).toEqual([]);
  });
});
