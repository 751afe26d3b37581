import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { ProtocolName } from "../neutral/protocol.ts";
import { createSseParser } from "../sse/create-sse-parser.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { createResponseCollector } from "../translate/collect-response.ts";
import { replayResponse } from "../translate/replay-response.ts";
import { createBodyCollector } from "../translate/translate-reply.ts";
import { anyResponse, options, reply, translateResponse } from "./neutral.test-data.ts";
import { protocols } from "./protocols.ts";

const names = Object.keys(protocols) as ProtocolName[];
const pairs = names.flatMap((upstream) => names.map((client) => [upstream, client] as const));

const essence = (response: NeutralResponse) => ({
  parts: response.parts.map((part) => {
    const { source: _, ...rest } = part;
    return part.type === "reasoning" ? { type: "reasoning", text: part.text } : rest;
  }),
  finish: response.finish,
  usage: { in: response.usage?.inputTokens, out: response.usage?.outputTokens },
});

describe.each(names)("%s", (name) => {
  const protocol = protocols[name];

  it("reads the bodies it writes", () => {
    fc.assert(
      fc.property(anyResponse, (response) => {
        const body = JSON.parse(JSON.stringify(protocol.encodeResponse(response, reply))) as unknown;
        expect(essence(protocol.decodeResponse(body))).toEqual(essence(response));
      }),
    );
  });

  it("reads the streams it writes, cut anywhere", () => {
    fc.assert(
      fc.property(anyResponse, fc.array(fc.nat(6000), { maxLength: 20 }), (response, cuts) => {
        const encoder = protocol.createStreamEncoder(reply);
        const frames = replayResponse(response)
          .map((event) => encoder.push(event))
          .join("");
        const bytes = new TextEncoder().encode(frames);
        const parser = createSseParser();
        const decoder = protocol.createStreamDecoder();
        const collector = createResponseCollector();
        const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        let from = 0;
        for (const place of [...places, bytes.length]) {
          for (const event of parser.push(bytes.subarray(from, place))) decoder.push(event).forEach(collector.push);
          from = place;
        }
        for (const event of parser.end()) decoder.push(event).forEach(collector.push);
        decoder.end().forEach(collector.push);
        expect(essence(collector.result())).toEqual(essence(response));
      }),
    );
  });

  it("survives anything an upstream may send in its stream", () => {
    const data = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constant("[DONE]"),
      fc
        .jsonValue()
        .map((value) =>
          JSON.stringify({ type: "content_block_delta", choices: [{ delta: value }], delta: value, item: value }),
        ),
    );
    fc.assert(
      fc.property(fc.array(data, { maxLength: 6 }), (events) => {
        const decoder = protocol.createStreamDecoder();
        const seen = [...events.flatMap((text) => decoder.push({ event: "", data: text })), ...decoder.end()];
        expect(seen.filter(({ type }) => type === "finish" || type === "error")).toHaveLength(1);
      }),
    );
  });

  it("never throws anything unexpected for a body that is no answer or no request", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        for (const read of [protocol.decodeResponse, protocol.decodeRequest]) {
          try {
            read(body);
          } catch (error) {
            expect(error).toMatchObject({ name: "MidfoldError" });
          }
        }
        expect(protocol.decodeError({ status: 400, body: JSON.stringify(body) })).toMatchObject({
          name: "MidfoldError",
        });
        protocol.body.toolsOf(body);
        protocol.body.systemOf(body);
        protocol.body.maxOutputOf(body);
        protocol.body.withMaxOutput(body, 5);
      }),
    );
  });
});

describe.each(pairs)("from %s to %s", (upstream, client) => {
  it("a body and a stream say the same", () => {
    fc.assert(
      fc.property(anyResponse, (response) => {
        const translation = options(upstream, client);
        const body = protocols[upstream].encodeResponse(response, { ...reply, model: "up" });
        const whole = translateResponse(body, translation);
        const collector = createBodyCollector(translation);
        const encoder = protocols[upstream].createStreamEncoder({ ...reply, model: "up" });
        const parser = createSseParser();
        for (const event of replayResponse(response)) {
          parser.push(new TextEncoder().encode(encoder.push(event))).forEach(collector.push);
        }
        expect(collector.end()).toEqual(whole);
        expect(essence(protocols[client].decodeResponse(whole))).toEqual(essence(response));
      }),
      { numRuns: 50 },
    );
  });

  it("a conversation survives the way there", () => {
    const request = {
      "anthropic-messages": {
        system: "S",
        messages: [
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: [
              { type: "text", text: "ok" },
              { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
            ],
          },
          {
            role: "user",
            content: [
              { type: "tool_result", tool_use_id: "a", content: "A" },
              { type: "text", text: "next" },
            ],
          },
        ],
      },
      "openai-chat": {
        messages: [
          { role: "system", content: "S" },
          { role: "user", content: "go" },
          {
            role: "assistant",
            content: "ok",
            tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"x":1}' } }],
          },
          { role: "tool", tool_call_id: "a", content: "A" },
          { role: "user", content: "next" },
        ],
      },
      "openai-responses": {
        instructions: "S",
        input: [
          { type: "message", role: "user", content: "go" },
          { type: "message", role: "assistant", content: "ok" },
          { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
          { type: "function_call_output", call_id: "a", output: "A" },
          { type: "message", role: "user", content: "next" },
        ],
      },
    } as const;
    const neutral = protocols[client].decodeRequest({ model: "m", ...request[client] });
    const { body } = protocols[upstream].encodeRequest(
      neutral,
      traitsOf(upstream === "anthropic-messages" ? "anthropic" : "generic"),
    );
    expect(body).toMatchObject(request[upstream]);
  });
});
