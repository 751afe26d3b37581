import { describe, expect, it } from "vitest";
import { decodeModelList } from "./decode-model-list.ts";

describe("decodeModelList", () => {
  it.each([
    ["openai", { data: [{ id: "a", object: "model" }] }, [{ id: "a" }]],
    ["vllm", { data: [{ id: "a", max_model_len: 32768 }] }, [{ id: "a", contextWindow: 32768 }]],
    [
      "openrouter",
      {
        data: [
          { id: "a", context_length: 200000, top_provider: { context_length: 131072, max_completion_tokens: 8192 } },
        ],
      },
      [{ id: "a", contextWindow: 131072, maxOutputTokens: 8192 }],
    ],
    [
      "anthropic",
      { data: [{ id: "a", display_name: "A", max_input_tokens: 200000, max_tokens: 64000 }] },
      [{ id: "a", displayName: "A", contextWindow: 200000, maxOutputTokens: 64000 }],
    ],
    [
      "lm studio",
      { data: [{ id: "a", max_context_length: 131072, loaded_context_length: 4096 }] },
      [{ id: "a", contextWindow: 4096 }],
    ],
    [
      "nonsense limits",
      { data: [{ id: "a", context_length: "many", max_model_len: -1 }, { x: 1 }, null] },
      [{ id: "a" }],
    ],
    ["no list", { error: "no" }, []],
  ])("reads %s", (_name, body, expected) => expect(decodeModelList(body)).toEqual(expected));
});
