import { describe, expect, test } from "vitest";
import { traitsOf } from "../traits/traits-of.ts";
import { askRealWindows } from "./ask-real-windows.ts";

/** A server with these pages. */
const serverOf = (pages: Readonly<Record<string, unknown>>) => async (path: string, body?: object) =>
  pages[body === undefined ? path : `${path} ${JSON.stringify(body)}`];

describe("the window a local server really runs a model with", () => {
  test("Ollama: as it is loaded, else as its file sets it, else Ollama's default, never the model card's", async () => {
    const ask = serverOf({
      "/api/ps": { models: [{ name: "loaded:8b", context_length: 16_384 }] },
      '/api/show {"model":"loaded:8b"}': { model_info: { "llama.context_length": 131_072 } },
      '/api/show {"model":"set:3b"}': { parameters: 'stop "<|eot|>"\nnum_ctx                        8192' },
      '/api/show {"model":"plain:1b"}': {
        model_info: { "llama.context_length": 131_072 },
        capabilities: ["completion", "vision"],
      },
    });
    const windows = await askRealWindows(traitsOf("ollama"), ["loaded:8b", "set:3b", "plain:1b"], ask);
    expect(Object.fromEntries(windows)).toEqual({
      "loaded:8b": { contextWindow: 16_384 },
      "set:3b": { contextWindow: 8_192 },
      "plain:1b": { contextWindow: 4_096, seesImages: true },
    });
  });

  test("LM Studio: as it is loaded", async () => {
    const data = [
      { id: "a", max_context_length: 131_072, loaded_context_length: 4_096 },
      { id: "b", type: "llm", max_context_length: 32_768 },
    ];
    const windows = await askRealWindows(traitsOf("lmstudio"), ["a", "b"], serverOf({ "/api/v0/models": { data } }));
    expect(Object.fromEntries(windows)).toEqual({
      a: { contextWindow: 4_096 },
      b: { contextWindow: 32_768, seesImages: false },
    });
  });

  test("llama.cpp: as it was started; a server without that page says nothing", async () => {
    const props = { default_generation_settings: { n_ctx: 6_144 } };
    expect(Object.fromEntries(await askRealWindows(traitsOf("generic"), ["m"], serverOf({ "/props": props })))).toEqual(
      {
        m: { contextWindow: 6_144 },
      },
    );
    expect((await askRealWindows(traitsOf("generic"), ["m"], serverOf({}))).size).toBe(0);
    expect((await askRealWindows(traitsOf("openai"), ["m"], serverOf({ "/props": props }))).size).toBe(0);
  });
});
