import { expect, it } from "vitest";
import { traitsOf } from "../traits/traits-of.ts";
import { protocols } from "./protocols.ts";

const { "openai-responses": responses, "anthropic-messages": anthropic } = protocols;

it("B5 requests to a Responses upstream spread turns over items and keep results with their images", () => {
  const request = anthropic.decodeRequest({
    model: "m",
    max_tokens: 5,
    system: "S",
    stop_sequences: ["END"],
    thinking: { type: "adaptive" },
    tools: [{ name: "f", input_schema: { type: "object" } }],
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
          {
            type: "tool_result",
            tool_use_id: "a",
            is_error: true,
            content: [
              { type: "text", text: "bad" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: "QQ" } },
            ],
          },
        ],
      },
    ],
  });
  const encoded = responses.encodeRequest(request, traitsOf("openai"));
  expect(encoded.localStops).toEqual(["END"]);
  expect(encoded.body).toMatchObject({
    instructions: "S",
    store: false,
    max_output_tokens: 16,
    reasoning: { effort: "medium", summary: "auto" },
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", name: "f", parameters: { type: "object" }, strict: false }],
  });
  expect(encoded.body.input).toEqual([
    { type: "message", role: "user", content: "go" },
    { type: "message", role: "assistant", content: "ok" },
    { type: "function_call", call_id: "a", name: "f", arguments: '{"x":1}' },
    {
      type: "function_call_output",
      call_id: "a",
      output: [
        { type: "input_text", text: "Error: bad" },
        { type: "input_image", detail: "auto", image_url: "data:image/png;base64,QQ" },
      ],
    },
  ]);
});
