import Anthropic from "@anthropic-ai/sdk";
import type { FoldResult } from "@midfold/core";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { anthropicSummarizer } from "./anthropic.ts";
import { longChat, startProvider, window } from "./long-chat.test-data.ts";
import { openaiSummarizer, withMidfold } from "./openai.ts";
import { httpSummarizer } from "./summarizers.ts";

const reply = () => ({ text: "INV-7000" });

describe("withMidfold(new OpenAI())", () => {
  const connect = (url: string) => new OpenAI({ baseURL: `${url}/v1`, apiKey: "k", maxRetries: 0 });

  it("without it the provider refuses; with it chat, streams and Responses are answered", async () => {
    const provider = await startProvider({ protocol: ["openai-chat", "openai-responses"], script: reply });
    const bare = connect(provider.url);
    const body = { model: "gpt-4o", max_completion_tokens: 500, messages: longChat };
    await expect(bare.chat.completions.create(body)).rejects.toMatchObject({ code: "context_length_exceeded" });

    const client = withMidfold(bare, { window });
    expect(client).toBeInstanceOf(OpenAI);
    const { data, response } = await client.chat.completions.create(body).withResponse();
    expect(data.choices[0]?.message.content).toBe("INV-7000");
    expect(response.status).toBe(200);
    let streamed = "";
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      streamed += chunk.choices[0]?.delta.content ?? "";
    }
    expect(streamed).toBe("INV-7000");
    const answer = await client.responses.create({
      model: "gpt-4o",
      max_output_tokens: 500,
      input: longChat,
      instructions: "Be brief.",
    });
    expect(answer.output_text).toBe("INV-7000");
    expect(provider.counts).toMatchObject({ overflows: 1, answered: 3, invalid: 0 });
  });

  it("the prefix that was sent stays as it was while the conversation grows", async () => {
    const provider = await startProvider({ protocol: "openai-chat", script: reply });
    const outcomes: string[] = [];
    const client = withMidfold(connect(provider.url), { window, onFold: ({ outcome }) => outcomes.push(outcome) });
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [...longChat];
    for (let turn = 0; turn < 3; turn++) {
      await client.chat.completions.create({ model: "gpt-4o", max_completion_tokens: 500, messages });
      messages.push({ role: "assistant", content: "INV-7000" }, { role: "user", content: `And number ${turn}?` });
    }
    expect(outcomes).toEqual(["folded", "reused", "reused"]);
    const sent = provider.requests.map(({ body }) => (body as { messages: object[] }).messages);
    expect(sent[2]!.slice(0, sent[0]!.length)).toEqual(sent[0]);
  });

  it("what cannot fit is refused as the provider would refuse it, once", async () => {
    const provider = await startProvider({ protocol: "openai-chat", script: reply });
    const client = withMidfold(new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 3 }), { window });
    const messages = [{ role: "user" as const, content: "word ".repeat(20_000), pinned: true }];
    const refused = client.chat.completions.create({ model: "gpt-4o", messages });
    await expect(refused).rejects.toMatchObject({ status: 400, code: "context_length_exceeded" });
    await expect(refused).rejects.toThrow(/last user message 2\d{4}/);
    expect(provider.counts.requests).toBe(0);
  });

  it("other requests pass", async () => {
    const provider = await startProvider({ protocol: "openai-chat", models: ["gpt-4o"] });
    const models = await withMidfold(connect(provider.url)).models.list();
    expect(models.data.map(({ id }) => id)).toEqual(["gpt-4o"]);
  });
});

describe("withMidfold(new Anthropic())", () => {
  it("without it the provider refuses; with it messages and streams are answered", async () => {
    const provider = await startProvider({ protocol: "anthropic-messages", script: reply });
    const bare = new Anthropic({ baseURL: provider.url, apiKey: "k", maxRetries: 0 });
    const system = [{ type: "text" as const, text: "You keep the books." }];
    const body = { model: "claude-sonnet-4-5", max_tokens: 500, system, messages: longChat };
    await expect(bare.messages.create(body)).rejects.toThrow(/too long/);
    const client = withMidfold(bare, { window });
    const answer = await client.messages.create(body);
    expect(answer.content).toMatchObject([{ type: "text", text: "INV-7000" }]);
    expect(await client.messages.stream(body).finalText()).toBe("INV-7000");
    expect(provider.counts).toMatchObject({ overflows: 1, answered: 2, invalid: 0 });
  });
});

describe("ready-made summarizers", () => {
  const summary = { text: "They went through invoices INV-7000 to INV-7108." };

  it.each(["openai", "anthropic", "http"] as const)("%s", async (kind) => {
    const provider = await startProvider({
      protocol: kind === "anthropic" ? "anthropic-messages" : "openai-chat",
      script: ({ messages }) => (/summar/i.test(JSON.stringify(messages)) ? summary : reply()),
    });
    const openai = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "k", maxRetries: 0 });
    const anthropic = new Anthropic({ baseURL: provider.url, apiKey: "k", maxRetries: 0 });
    const summarizer = {
      openai: openaiSummarizer(openai, "gpt-4o-mini"),
      anthropic: anthropicSummarizer(anthropic, "claude-haiku-4-5"),
      http: httpSummarizer({ baseUrl: `${provider.url}/v1/`, apiKey: "k", model: "qwen3" }),
    }[kind];
    const results: FoldResult<unknown>[] = [];
    const options = { window, summarizer, onFold: (folded: FoldResult<unknown>) => results.push(folded) };
    const model = kind === "anthropic" ? "claude-sonnet-4-5" : "gpt-4o";
    if (kind === "anthropic") {
      await withMidfold(anthropic, options).messages.create({ model, max_tokens: 500, messages: longChat });
    } else {
      await withMidfold(openai, options).chat.completions.create({
        model,
        max_completion_tokens: 500,
        messages: longChat,
      });
    }
    expect(results[0]?.state).toMatchObject({ by: "summary", texts: [expect.stringContaining(summary.text)] });
    expect(provider.counts.answered).toBe(2);
  });

  it("a refused key is said in the provider's words", async () => {
    const provider = await startProvider({ protocol: "openai-chat", apiKey: "right", script: reply });
    const summarizer = httpSummarizer({ baseUrl: `${provider.url}/v1`, apiKey: "wrong", model: "m" });
    const client = new OpenAI({ baseURL: `${provider.url}/v1`, apiKey: "right", maxRetries: 0 });
    const said: string[] = [];
    const wrapped = withMidfold(client, { window, summarizer, warn: ({ message }) => said.push(message) });
    await wrapped.chat.completions.create({ model: "gpt-4o", max_completion_tokens: 500, messages: longChat });
    expect(said.join()).toMatch(/No usable summary after one attempt: 401 .*key/i);
  });
});
