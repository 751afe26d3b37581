import { describe, expect, test } from "vitest";
import type { Warning } from "../errors/warning.ts";
import { documentOverrides, documentTables } from "./document-tables.ts";
import { resolveModel, unknownWindow } from "./resolve-model.ts";
import { supportedModels } from "./supported-models.ts";

describe("spellings of one model", () => {
  test.each([
    ["gpt-4o", "openai"],
    ["openai/gpt-4o", "openai"],
    ["OpenAI/GPT-4o", "openai"],
    ["gpt-4o-2024-08-06", "openai"],
    ["azure/gpt-4o", "azure"],
    ["openrouter/openai/gpt-4o", "openrouter"],
    [" gpt-4o ", "openai"],
    ["ft:gpt-4o-2024-08-06:acme::abc", "openai"],
  ])("%j has gpt-4o's window, from %s", (name, provider) => {
    expect(resolveModel(name)).toMatchObject({ window: 128_000, maxOutput: 16_384, provider, known: true });
  });

  test.each([
    "claude-3-5-sonnet",
    "claude-3.5-sonnet",
    "claude-3-5-sonnet-20241022",
    "claude-3-5-sonnet-latest",
    "claude-3-5-sonnet@20240620",
    "anthropic/claude-3.5-sonnet:beta",
    "us.anthropic.claude-3-5-sonnet-20241022-v2:0",
  ])("%j is Claude 3.5 Sonnet", (name) => {
    expect(resolveModel(name)).toMatchObject({ window: 200_000, maxOutput: 8_192, known: true });
  });

  test("a variant after a colon does not hide the model, and :free costs nothing", () => {
    const free = resolveModel("meta-llama/llama-3-70b-instruct:free");
    expect(free).toMatchObject({ id: "llama-3-70b-instruct", window: 8_192, known: true });
    expect(free.prices).toEqual({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    expect(resolveModel("llama3.1:8b").window).toBe(131_072);
  });

  test("a window stated in the name counts", () => {
    expect(resolveModel("claude-sonnet-4-5").window).toBe(200_000);
    expect(resolveModel("claude-sonnet-4-5[1m]")).toMatchObject({ id: "claude-sonnet-4-5", window: 1_000_000 });
  });

  test("a preview with a date keeps its own window, not that of the model it is named after", () => {
    expect(resolveModel("gpt-4-1106-preview").window).toBe(128_000);
    expect(resolveModel("gpt-4-0613").window).toBe(8_192);
    expect(resolveModel("mistral-large-2407").window).toBe(128_000);
  });

  test("a later generation does not inherit the window of the earlier one", () => {
    expect(resolveModel("gpt-5.4")).toMatchObject({ window: 1_050_000, maxOutput: 128_000, known: true });
    expect(resolveModel("gpt-5")).toMatchObject({ window: 400_000, maxInput: 272_000 });
    expect(resolveModel("claude-opus-4-7")).toMatchObject({ window: 1_000_000, maxOutput: 128_000 });
  });
});

describe("unknown models", () => {
  test.each([
    ["a-model-nobody-knows", unknownWindow],
    ["", unknownWindow],
    ["gpt-77", 128_000],
    ["claude-newest-9", 200_000],
    ["gemini-77", 128_000],
    ["__proto__", unknownWindow],
    ["constructor", unknownWindow],
  ])("%j gets %i and a warning", (name, window) => {
    const warnings: Warning[] = [];
    const info = resolveModel(name, { warn: (warning) => warnings.push(warning) });
    expect(info).toMatchObject({ window, known: false });
    expect(info.maxOutput).toBeLessThan(info.window);
    expect(warnings.map((warning) => warning.code)).toEqual(["unknown-model"]);
  });

  test("a known model warns of nothing", () => {
    const warnings: Warning[] = [];
    for (const { id } of supportedModels()) resolveModel(id, { warn: (warning) => warnings.push(warning) });
    expect(warnings).toEqual([]);
  });
});

describe("overrides", () => {
  test("what the caller states wins over everything, field by field", () => {
    const info = resolveModel("gpt-4o", {
      overrides: { "gpt-4o": { window: 64_000, threshold: 0.5, prices: { input: 9 } } },
    });
    expect(info).toMatchObject({ window: 64_000, threshold: 0.5, maxOutput: 16_384, retentionTokens: 1_000 });
    expect(info.prices).toMatchObject({ input: 9, output: 10 });
  });

  test("they match any spelling, and make an unknown model known", () => {
    const overrides = { "my-model": { window: 9_000, countAs: "gpt-4o" } };
    const info = resolveModel("vllm/My-Model:latest", { overrides, warn: () => expect.unreachable() });
    expect(info).toMatchObject({ window: 9_000, maxOutput: 2_250, known: true });
    expect(info.counting).toMatchObject({ encoding: "o200k_base", exact: true });
  });

  test("an exact name beats a pattern, a longer pattern a shorter one", () => {
    const overrides = {
      "*": { window: 1_000 },
      "gpt-*": { window: 2_000 },
      "gpt-4o-*": { window: 3_000 },
      "gpt-4o": { window: 4_000 },
    };
    expect(
      ["gpt-4o", "gpt-4o-mini", "gpt-3.5-turbo", "other"].map((name) => resolveModel(name, { overrides }).window),
    ).toEqual([4_000, 3_000, 2_000, 1_000]);
  });

  test("the output limit never exceeds the window", () => {
    expect(resolveModel("gpt-4o", { overrides: { "gpt-4o": { window: 4_000 } } }).maxOutput).toBe(4_000);
  });

  test.each([{ window: 0 }, { window: 1.5 }, { maxOutput: -1 }, { threshold: 95 }, { retentionTokens: Number.NaN }])(
    "%j is refused by name",
    (override) => {
      expect(() => resolveModel("gpt-4o", { overrides: { "gpt-4o": override } })).toThrow(/Model override "gpt-4o": /);
    },
  );
});

describe("configuration map", () => {
  test("every supported model has window, output limit, counting method, threshold and retention", () => {
    const models = supportedModels();
    expect(models.length).toBeGreaterThan(60);
    for (const info of models) {
      expect(info.window, info.id).toBeGreaterThan(1_000);
      expect(info.maxOutput, info.id).toBeGreaterThan(0);
      expect(info.maxOutput, info.id).toBeLessThanOrEqual(info.window);
      expect(info.counting.family, info.id).not.toBe("");
      expect(info, info.id).toMatchObject({ threshold: 0.95, retentionTokens: 1_000 });
    }
  });

  test("models that think unasked are known as such", () => {
    const thinking = [
      "o3",
      "openai/gpt-5-mini",
      "gemini-2.5-flash",
      "deepseek-reasoner",
      "qwen/qwen3-30b-a3b-thinking",
    ];
    const others = ["gpt-4o", "gpt-5-chat-latest", "claude-opus-5-5", "gemini-2.0-flash", "deepseek-chat"];
    expect(thinking.filter((name) => !resolveModel(name).thinks)).toEqual([]);
    expect(others.filter((name) => resolveModel(name).thinks)).toEqual([]);
  });

  test("a model the user adds appears in it", () => {
    expect(supportedModels({ "my-model": { window: 9_000 } }).map((info) => info.id)).toContain("my-model");
  });

  test("prices are per million tokens", () => {
    expect(resolveModel("gpt-4o").prices).toEqual({ input: 2.5, output: 10, cacheRead: 1.25 });
    expect(resolveModel("claude-sonnet-4-5").prices).toEqual({
      input: 3,
      output: 15,
      cacheRead: 0.3,
      cacheWrite: 3.75,
    });
  });
});

describe("document tables", () => {
  /** As the documents print them: window and output limit in thousands. */
  const printed = [
    ["chat", "gpt-4o", "128K", "16K"],
    ["chat", "gpt-4-turbo", "128K", "4K"],
    ["chat", "gpt-4", "32K", "8K"],
    ["chat", "gpt-3.5-turbo", "16K", "4K"],
    ["chat", "claude-sonnet-4-5", "1000K", "64K"],
    ["chat", "claude-3-5-sonnet", "200K", "8K"],
    ["chat", "claude-3-opus", "200K", "4K"],
    ["chat", "claude-3-haiku", "200K", "4K"],
    ["chat", "gemini-2.5-pro", "1000K", "64K"],
    ["chat", "gemini-2.5-flash", "1000K", "64K"],
    ["chat", "azure/gpt-4o", "128K", "16K"],
    ["chat", "azure/gpt-4-turbo", "128K", "4K"],
    ["chat", "azure/gpt-4", "32K", "8K"],
    ["chat", "azure/gpt-35-turbo", "16K", "4K"],
    ["agent", "claude-3-opus", "200K", "4K"],
    ["agent", "claude-3-sonnet", "200K", "4K"],
    ["agent", "claude-3-haiku", "200K", "4K"],
    ["agent", "gpt-4-turbo", "128K", "4K"],
    ["agent", "gpt-4", "8K", "4K"],
    ["agent", "gpt-3.5-turbo", "16K", "4K"],
    ["agent", "llama-3-70b", "8K", "4K"],
    ["agent", "mistral-large", "32K", "4K"],
    ["sandwich", "claude-3-5-sonnet", "200K", undefined],
    ["sandwich", "claude-3-opus", "200K", undefined],
    ["sandwich", "gpt-4-turbo", "128K", undefined],
    ["sandwich", "gpt-4o", "128K", undefined],
    ["sandwich", "gemini-pro", "32K", undefined],
  ] as const;
  const thousands = (tokens: number) => [`${Math.round(tokens / 1_000)}K`, `${Math.round(tokens / 1_024)}K`];

  test.each(printed)("%s prints %s with %s and %s", (document, model, window, maxOutput) => {
    const info = resolveModel(model, { overrides: documentOverrides(document) });
    expect(thousands(info.window)).toContain(window);
    if (maxOutput !== undefined) expect(thousands(info.maxOutput)).toContain(maxOutput);
  });

  test("no row is missing and none was added", () => {
    const named = (document: string) => printed.filter((row) => row[0] === document).map((row) => row[1]);
    for (const document of ["chat", "agent", "sandwich"] as const) {
      expect(documentTables[document].map((row) => row.model)).toEqual(named(document));
    }
  });

  const rows = Object.entries(documentTables).flatMap(([document, table]) =>
    table.map((row) => ({ document: document as "chat" | "agent" | "sandwich", ...row })),
  );

  test.each(rows)(
    "$document $model: to the letter with its document's overrides",
    ({ document, model, window, maxOutput }) => {
      const info = resolveModel(model, { overrides: documentOverrides(document) });
      expect(info.window).toBe(window);
      if (maxOutput !== undefined) expect(info.maxOutput).toBe(maxOutput);
    },
  );

  test.each(rows)(
    "$document $model: known without them, and never larger than 5 % above the smallest statement",
    (row) => {
      const info = resolveModel(row.model);
      const stated = rows.filter((other) => resolveModel(other.model).id === info.id).map((other) => other.window);
      expect(info.known).toBe(true);
      expect(info.window).toBeLessThanOrEqual(Math.min(...stated) * 1.05);
    },
  );

  test.each(rows.filter((row) => row.tokenizer?.endsWith("_base")))(
    "$document $model counts with $tokenizer",
    (row) => {
      expect(resolveModel(row.model).counting).toMatchObject({ encoding: row.tokenizer, exact: true });
    },
  );

  test("documents disagree about gpt-4 and Claude Sonnet 4.5; the registry holds the smaller, true value", () => {
    expect(documentTables.chat.find((row) => row.model === "gpt-4")?.window).toBe(32_768);
    expect(documentTables.agent.find((row) => row.model === "gpt-4")?.window).toBe(8_192);
    expect(resolveModel("gpt-4").window).toBe(8_192);
    expect(resolveModel("claude-sonnet-4-5").window).toBe(200_000);
  });
});

test.each([[undefined], [{ model: "gpt-4" }], [4]])("a model that is no text is an error that says so: %j", (model) => {
  expect(() => resolveModel(model as unknown as string)).toThrow(
    expect.objectContaining({
      code: "VALIDATION_ERROR",
      message: expect.stringContaining("A model is named by a text"),
    }),
  );
});
