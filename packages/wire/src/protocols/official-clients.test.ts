import { createAnthropic } from "@ai-sdk/anthropic";
import Anthropic from "@anthropic-ai/sdk";
import { jsonSchema, streamText, tool } from "ai";
import fc from "fast-check";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { ProtocolName } from "../neutral/protocol.ts";
import { replayResponse } from "../translate/replay-response.ts";
import { anyResponse, chunk, createStreamTranslator, options, reply } from "./neutral.test-data.ts";
import { protocols } from "./protocols.ts";

/** The official SDKs read what we write; only the network is replaced, by a `fetch` that cuts the bytes anywhere. */
function serve(frames: string, cuts: readonly number[]): typeof fetch {
  const bytes = new TextEncoder().encode(frames);
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return async () => {
    let from = 0;
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const place of [...places, bytes.length]) {
          controller.enqueue(bytes.slice(from, place));
          from = place;
        }
        controller.close();
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };
}

function framesOf(name: ProtocolName, response: NeutralResponse): string {
  const encoder = protocols[name].createStreamEncoder(reply);
  return replayResponse(response)
    .map((event) => encoder.push(event))
    .join("");
}

const cuts = fc.array(fc.nat(4000), { maxLength: 12 });
const runs = { numRuns: 40 };

describe("official clients read our streams as they read our bodies", () => {
  it("@anthropic-ai/sdk", async () => {
    await fc.assert(
      fc.asyncProperty(anyResponse, cuts, async (response, places) => {
        const client = new Anthropic({ apiKey: "k", fetch: serve(framesOf("anthropic-messages", response), places) });
        const stream = client.messages.stream({ model: "m", max_tokens: 9, messages: [] });
        const final = await stream.finalMessage();
        const body = protocols["anthropic-messages"].encodeResponse(response, reply) as Anthropic.Message;
        expect(final.content).toEqual(body.content);
        expect(final).toMatchObject({
          id: body.id,
          model: body.model,
          stop_reason: body.stop_reason,
          usage: body.usage,
        });
      }),
      runs,
    );
  });

  it("openai, chat", async () => {
    await fc.assert(
      fc.asyncProperty(anyResponse, cuts, async (response, places) => {
        const client = new OpenAI({ apiKey: "k", fetch: serve(framesOf("openai-chat", response), places) });
        const stream = client.chat.completions.stream({
          model: "m",
          messages: [],
          stream_options: { include_usage: true },
        });
        const final = await stream.finalChatCompletion().catch((error: Error) => error);
        // The SDK itself refuses an answer that was cut off; ours say so in the same place.
        if (final instanceof Error) {
          expect(response.finish).toBe("length");
          return;
        }
        const body = protocols["openai-chat"].encodeResponse(response, reply) as OpenAI.ChatCompletion;
        const [ours, theirs] = [body.choices[0]!, final.choices[0]!];
        expect(theirs.message.content ?? "").toBe(ours.message.content ?? "");
        expect(theirs.message.tool_calls ?? []).toMatchObject(ours.message.tool_calls ?? []);
        expect(theirs.finish_reason).toBe(ours.finish_reason);
        expect(final.usage).toEqual(body.usage);
      }),
      runs,
    );
  });

  it("openai, responses", async () => {
    await fc.assert(
      fc.asyncProperty(anyResponse, cuts, async (response, places) => {
        const client = new OpenAI({ apiKey: "k", fetch: serve(framesOf("openai-responses", response), places) });
        const final = await client.responses.stream({ model: "m", input: "x" }).finalResponse();
        const body = protocols["openai-responses"].encodeResponse(response, reply) as OpenAI.Responses.Response;
        expect(final.status).toBe(body.status);
        expect(final.usage).toEqual(body.usage);
        expect(final.output).toHaveLength(body.output.length);
        for (const [at, item] of body.output.entries()) expect(final.output[at]).toMatchObject(item as object);
      }),
      runs,
    );
  });

  it("the AI SDK runs interleaved parallel calls with their own arguments", async () => {
    const translator = createStreamTranslator(options("openai-chat", "anthropic-messages"));
    const piece = (index: number, fields: object, id?: string, name?: string) =>
      chunk({ tool_calls: [{ index, ...(id ? { id } : {}), function: { ...(name ? { name } : {}), ...fields } }] });
    const chunks = [
      piece(0, { arguments: '{"city":' }, "a", "weather"),
      piece(1, { arguments: '{"city":' }, "b", "weather"),
      piece(0, { arguments: '"Rome"}' }),
      piece(1, { arguments: '"Oslo"}' }),
      chunk({}, "tool_calls"),
    ];
    const frames =
      chunks.map((data) => translator.push({ event: "", data: JSON.stringify(data) })).join("") + translator.end();
    const anthropic = createAnthropic({
      apiKey: "k",
      baseURL: "http://127.0.0.1/v1",
      fetch: serve(frames, [7, 99, 333]),
    });
    const result = streamText({
      model: anthropic("m"),
      prompt: "x",
      maxOutputTokens: 100,
      tools: {
        weather: tool({
          inputSchema: jsonSchema<{ city: string }>({ type: "object", properties: { city: { type: "string" } } }),
        }),
      },
    });
    const calls = await result.toolCalls;
    expect(calls.map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
      ["a", { city: "Rome" }],
      ["b", { city: "Oslo" }],
    ]);
    expect(await result.finishReason).toBe("tool-calls");
  });
});
