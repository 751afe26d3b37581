import { readRecorded } from "@midfold/testkit";
import { describe, expect, it } from "vitest";
import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { ProtocolName } from "../neutral/protocol.ts";
import { createSseParser } from "../sse/create-sse-parser.ts";
import type { ProviderKind } from "../traits/traits-of.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { createResponseCollector } from "../translate/collect-response.ts";
import { protocols } from "./protocols.ts";

/** Which protocol each server's recordings are in. */
const spoken = {
  "openai-chat": "openai-chat",
  "openai-responses": "openai-responses",
  "anthropic-messages": "anthropic-messages",
  gemini: "openai-chat",
} as const satisfies Record<string, ProtocolName>;
type Server = keyof typeof spoken;

const whole = (server: Server, what: string) =>
  protocols[spoken[server]].decodeResponse(JSON.parse(readRecorded(`${server}/${what}.json`)));

/** The recorded stream as one answer, however its bytes were cut on the way. */
function streamed(server: Server, what: string, cut: number): NeutralResponse {
  const bytes = Buffer.from(readRecorded(`${server}/${what}.sse`));
  const parser = createSseParser();
  const decoder = protocols[spoken[server]].createStreamDecoder();
  const collector = createResponseCollector();
  const feed = (events: Iterable<Parameters<typeof decoder.push>[0]>) => {
    for (const event of events) for (const decoded of decoder.push(event)) collector.push(decoded);
  };
  for (let at = 0; at < bytes.length; at += cut) feed(parser.push(bytes.subarray(at, at + cut)));
  feed(parser.end());
  for (const decoded of decoder.end()) collector.push(decoded);
  return collector.result();
}

const call = (id: string, name: string, input: string) => ({ type: "tool-call", id, name, input });
const proof = { type: "reasoning", text: "", opaque: expect.stringMatching(/^midfold\.call\./) };
const answered = [{ type: "text", text: "The ferry leaves at 9:40." }];
const thought = { type: "reasoning", text: "The timetable knows.", signature: "EqFERRY1==" };

describe("recorded answers in one piece", () => {
  it.each([
    [
      "openai-chat",
      "tool-calls",
      {
        finish: "tool-calls",
        parts: [
          call("call_ferry1", "timetable", '{"line":"harbour","day":"sunday"}'),
          call("call_ferry2", "fare", "{}"),
        ],
        usage: { inputTokens: 412, outputTokens: 31, cacheReadTokens: 256, reasoningTokens: 12 },
      },
    ],
    ["openai-chat", "refusal", { finish: "refusal" }],
    [
      "openai-responses",
      "reasoning-and-tool-call",
      {
        finish: "tool-calls",
        parts: [
          { type: "reasoning", text: "**Looking up the line**" },
          call("call_ferry1", "timetable", '{"line":"harbour"}'),
        ],
        usage: { inputTokens: 845, outputTokens: 65, cacheReadTokens: 512, reasoningTokens: 40 },
      },
    ],
    ["openai-responses", "incomplete", { finish: "length", parts: answered }],
    [
      "anthropic-messages",
      "thinking-and-tool-use",
      {
        finish: "tool-calls",
        parts: [thought, call("toolu_01Ferry", "timetable", "{}")],
        usage: { inputTokens: 2_699, outputTokens: 59, cacheReadTokens: 2_000, cacheWriteTokens: 100 },
      },
    ],
    [
      "gemini",
      "tool-calls",
      { finish: "tool-calls", parts: [proof, call("function-call-1", "timetable", '{"line":"harbour"}')] },
    ],
  ] as const)("%s %s", (server, what, expected) => {
    expect(whole(server, what)).toMatchObject(expected);
  });
});

describe("recorded streams", () => {
  it.each([
    ["openai-chat", "text", { finish: "stop", parts: answered, usage: { inputTokens: 412, cacheReadTokens: 256 } }],
    [
      "openai-chat",
      "tool-calls",
      {
        finish: "tool-calls",
        parts: [call("call_ferry1", "timetable", '{"line":"harbour"}'), call("call_ferry2", "fare", "{}")],
      },
    ],
    ["openai-responses", "text", { finish: "stop", parts: answered, usage: { inputTokens: 845, outputTokens: 65 } }],
    [
      "openai-responses",
      "reasoning-and-tool-call",
      {
        finish: "tool-calls",
        parts: [
          { type: "reasoning", text: "**Looking up the line**" },
          call("call_ferry1", "timetable", '{"line":"harbour"}'),
        ],
      },
    ],
    [
      "anthropic-messages",
      "thinking-and-tool-use",
      {
        finish: "tool-calls",
        parts: [thought, call("toolu_01Ferry", "timetable", '{"line": "harbour"}')],
        usage: { inputTokens: 2_699, outputTokens: 59 },
      },
    ],
    [
      "anthropic-messages",
      "usage-in-the-end",
      { finish: "stop", parts: answered, usage: { inputTokens: 61, outputTokens: 9 } },
    ],
    [
      "gemini",
      "tool-calls",
      {
        finish: "tool-calls",
        parts: [
          proof,
          call("function-call-1", "timetable", '{"line":"harbour"}'),
          call("function-call-2", "fare", '{"zone":2}'),
        ],
        usage: { inputTokens: 118, outputTokens: 21 },
      },
    ],
  ] as const)("%s %s", (server, what, expected) => {
    for (const cut of [1, 7, 64, 1_000_000]) expect(streamed(server, what, cut)).toMatchObject(expected);
  });

  it.each([
    ["openai-responses", "failed-overflow", "UPSTREAM_OVERFLOW"],
    ["openai-responses", "error-without-code", "UPSTREAM_OVERLOADED"],
    ["anthropic-messages", "overloaded-midway", "UPSTREAM_OVERLOADED"],
  ] as const)("%s %s is an error", (server, what, code) => {
    expect(() => streamed(server, what, 64)).toThrow(expect.objectContaining({ code }));
  });
});

describe("Gemini's proofs of its tool calls", () => {
  const from = ["anthropic-messages", "openai-responses"] as const;
  const reply = { id: "x", createdAt: 1, model: "m", includeUsage: true, estimatedInputTokens: 1 };

  /** What the upstream gets when a client sends back the answer it was given. */
  function goOn(client: (typeof from)[number], upstream: ProviderKind): string {
    const { body, decodeRequest, encodeResponse } = protocols[client];
    const answer = encodeResponse(whole("gemini", "tool-calls"), reply) as Record<string, unknown>;
    const result =
      client === "anthropic-messages"
        ? [
            { role: "assistant", content: answer.content },
            { role: "user", content: [{ type: "tool_result", tool_use_id: "function-call-1", content: "9:40" }] },
          ]
        : [
            ...(answer.output as unknown[]),
            { type: "function_call_output", call_id: "function-call-1", output: "9:40" },
          ];
    const asked = { role: "user", content: "When does the ferry leave?" };
    const request = decodeRequest({ model: "m", max_tokens: 100, [body.fields.messages]: [asked, ...result] });
    const spoken =
      upstream === "anthropic" ? "anthropic-messages" : upstream === "openai" ? "openai-responses" : "openai-chat";
    return JSON.stringify(protocols[spoken].encodeRequest(request, traitsOf(upstream)).body);
  }

  it.each(from)("come back to it through %s, which has no place for them", (client) => {
    expect(goOn(client, "gemini")).toContain('"extra_content":{"google":{"thought_signature":"EjQKFerry1"}}');
  });

  it.each(from.flatMap((client) => (["anthropic", "openai", "vllm"] as const).map((kind) => [client, kind] as const)))(
    "are not shown through %s to %s",
    (client, kind) => {
      const sent = goOn(client, kind);
      expect(sent).toContain("function-call-1");
      expect(sent).not.toMatch(/midfold|EjQK/);
    },
  );
});

describe("recorded refusals", () => {
  it.each([
    ["openai-chat", "error-overflow", 400, "UPSTREAM_OVERFLOW", { limit: 128_000, input: 131_072 }],
    ["openai-chat", "error-rate", 429, "UPSTREAM_RATE_LIMITED", {}],
    ["anthropic-messages", "error-overflow", 400, "UPSTREAM_OVERFLOW", { limit: 200_000, input: 213_462 }],
    ["gemini", "error-overflow", 400, "UPSTREAM_OVERFLOW", { limit: 1_048_576, input: 1_200_345 }],
    ["gemini", "error-quota", 429, "UPSTREAM_RATE_LIMITED", {}],
  ] as const)("%s %s", (server, what, status, code, details) => {
    const error = protocols[spoken[server]].decodeError({ status, body: readRecorded(`${server}/${what}.json`) });
    expect(error).toMatchObject({ code, details });
  });
});
