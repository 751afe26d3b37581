import { describe, expect, it } from "vitest";
import { settingNames } from "../../api/settings.ts";
import { openHarness, useHarness } from "../chat-harness.test-data.ts";

describe("settings", () => {
  const chat = useHarness({ config: { retentionTokens: 1500 }, simulator: { models: ["gpt-4o", "gpt-4o-mini"] } });
  const read = (scope: string) => chat.call("getSettings", { query: { scope } });
  const set = (scope: string, values: object, reset: readonly string[] = []) =>
    chat.call("updateSettings", { body: { scope, set: values, reset } });

  it("has every setting with the documents' defaults, and says where each comes from", async () => {
    const { values } = await read("global");
    expect(Object.keys(values).toSorted()).toEqual([...settingNames].toSorted());
    expect(values.thresholdPercent).toMatchObject({ value: 95, source: { level: "default" } });
    expect(values.safetyPercent?.value).toBe(5);
    expect(values.minTokens?.value).toBe(2000);
    expect(values.autoCompression?.value).toBe(true);
    expect(values.notifications?.value).toBe(true);
    expect(values.retentionTokens).toMatchObject({ value: 1500, source: { level: "config" } });
  });

  it("inherits from global to provider to model to session, and back when reset", async () => {
    const session = await chat.start();
    const scope = `session:${session.id}`;
    const threshold = async () => (await read(scope)).values.thresholdPercent;
    await set("global", { thresholdPercent: 90 });
    expect(await threshold()).toMatchObject({ value: 90, source: { level: "global" } });
    await set("provider:openai", { thresholdPercent: 85 });
    expect(await threshold()).toMatchObject({ value: 85, source: { level: "provider", name: "openai" } });
    await set("model:gpt-4o", { thresholdPercent: 80 });
    expect(await threshold()).toMatchObject({ value: 80, source: { level: "model", name: "gpt-4o" } });
    await set(scope, { thresholdPercent: 75 });
    expect(await threshold()).toMatchObject({
      value: 75,
      source: { level: "session", name: session.id },
      inherited: 80,
      inheritedFrom: { level: "model" },
    });
    expect((await read("model:gpt-4o")).values.thresholdPercent).toMatchObject({ value: 80, inherited: 85 });
    expect((await read("global")).values.thresholdPercent).toMatchObject({
      value: 90,
      inherited: 95,
      inheritedFrom: { level: "default" },
    });
    expect((await read(scope)).own).toEqual({ thresholdPercent: 75 });
    for (const place of [scope, "model:gpt-4o", "provider:openai", "global"])
      await set(place, {}, ["thresholdPercent"]);
    expect(await threshold()).toMatchObject({ value: 95, source: { level: "default" } });
  });

  it("refuses fields that it does not know instead of doing something else", async () => {
    const detail = async (body: object, query: object = {}) => {
      const response = await chat.raw("updateSettings", { body, query } as never);
      return [response.status, ((await response.json()) as { detail: string }).detail];
    };
    const said = (text: string) => [400, expect.stringContaining(text)];
    expect(await detail({ autoCompression: false })).toEqual(
      said("body.autoCompression: there is no such field; there are scope, set, reset."),
    );
    expect(await detail({ set: { treshold: 50 } })).toEqual(
      said("body.set.treshold: there is no such field; there are autoCompression,"),
    );
    // A scope in the address would set the value for everything.
    expect(await detail({ set: { minTokens: 9 } }, { scope: "session:x" })).toEqual(
      said("query.scope: there is no such field."),
    );
    expect((await read("global")).values).toMatchObject({
      autoCompression: { value: true },
      minTokens: { value: 2000 },
    });
  });

  it("refuses values out of bounds, unknown scopes and sessions, and setting what is reset", async () => {
    const refused = async (body: object) => (await chat.raw("updateSettings", { body })).status;
    expect(await refused({ set: { thresholdPercent: 140 } })).toBe(400);
    expect(await refused({ scope: "planet:mars", set: {} })).toBe(400);
    expect(await refused({ scope: "session:none", set: {} })).toBe(404);
    expect(await refused({ set: { minTokens: 1 }, reset: ["minTokens"] })).toBe(400);
  });

  it("lists models with window, output, tokenizer, threshold and retention, all correctable", async () => {
    const { models, defaultModel } = await chat.call("listModels");
    expect(defaultModel).toBe("gpt-4o");
    const row = models.find(({ id }) => id === "gpt-4o");
    expect(row).toMatchObject({
      window: 128_000,
      maxOutput: 16_384,
      tokenizer: "o200k_base",
      exactTokenizer: true,
      thresholdPercent: 95,
      retentionTokens: 1500,
      known: true,
      available: true,
      overrides: [],
    });
    for (const [id, window] of [
      ["gpt-4-turbo", 128_000],
      ["claude-3-opus", 200_000],
      ["gemini-2.5-flash", 1_048_576],
    ] as const) {
      expect(models.find((model) => model.id === id || model.id === id.replaceAll(".", "-"))?.window).toBe(window);
    }
    const changed = await chat.call("updateModel", {
      body: { id: "gpt-4o", set: { window: 64_000, retentionTokens: 700 } },
    });
    expect(changed).toMatchObject({
      window: 64_000,
      retentionTokens: 700,
      windowSource: "override",
      overrides: ["window", "retentionTokens"],
    });
    const own = await chat.call("updateModel", { body: { id: "my-own-model", set: { window: 10_000 } } });
    expect(own).toMatchObject({ id: "my-own-model", window: 10_000, known: true });
    expect((await chat.call("listModels")).models.map(({ id }) => id)).toContain("my-own-model");
    const back = await chat.call("updateModel", { body: { id: "gpt-4o", reset: ["window", "retentionTokens"] } });
    expect(back).toMatchObject({ window: 128_000, overrides: [] });
    expect((await chat.raw("updateModel", { body: { id: "gpt-4o", set: { maxOutput: 500_000 } } })).status).toBe(400);
  });

  it("offers only models that somebody serves, and starts with a real one", async () => {
    const { models } = await chat.call("listModels");
    const offered = models.filter(({ available }) => available).map(({ id }) => id);
    expect(offered).toContain("gpt-4o");
    expect(offered).toContain("midfold-demo");
    // A route for "*" leads them to OpenAI, which does not have them.
    expect(offered.filter((id) => /claude|gemini|llama/.test(id))).toEqual([]);
    const keyless = await openHarness({
      env: { OPENAI_API_KEY: "", OPENAI_BASE_URL: "" },
      config: { defaultModel: undefined },
    });
    try {
      const list = await keyless.call("listModels");
      expect(list.models.filter(({ available }) => available).every(({ demo }) => demo)).toBe(true);
      expect(list.defaultModel).toBe("midfold-demo");
    } finally {
      await keyless.close();
    }
  });

  it("shows which provider keys are set, never the keys, and keeps one that is entered in memory", async () => {
    const { providers } = await chat.call("listKeys");
    const openai = providers.find(({ variable }) => variable === "OPENAI_API_KEY");
    expect(openai).toMatchObject({ configured: true, hint: "…5678" });
    const entered = await chat.call("setProviderKey", { body: { provider: "anthropic", key: "sk-ant-entered-0042" } });
    expect(entered.providers.find(({ provider }) => provider === "anthropic")).toMatchObject({
      source: "memory",
      hint: "…0042",
    });
    expect(JSON.stringify(entered)).not.toContain("sk-ant-entered");
    const { models } = await chat.call("listModels");
    expect(models.find(({ id }) => id === "claude-3-opus")?.available).toBe(true);
    await chat.call("setProviderKey", { body: { provider: "anthropic", key: null } });
    expect((await chat.raw("setProviderKey", { body: { provider: "nobody", key: "x" } })).status).toBe(404);
  });

  it("makes, lists and revokes client keys; the secret is shown once", async () => {
    const made = await chat.call("createClientKey", { body: { name: "laptop" } });
    expect(made.key.length).toBeGreaterThan(20);
    const { clients } = await chat.call("listKeys");
    expect(clients).toMatchObject([{ name: "laptop", revokedAt: null }]);
    expect(JSON.stringify(clients)).not.toContain(made.key);
    await chat.call("revokeClientKey", { params: { keyId: made.id } });
    expect((await chat.call("listKeys")).clients[0]?.revokedAt).not.toBeNull();
  });

  it("offers the built-in prompts with their variables", async () => {
    const prompts = await chat.call("getPrompts");
    expect(prompts.templates.map(({ name }) => name)).toEqual(["general", "code", "technical"]);
    expect(prompts.variables.map(({ name }) => name)).toContain("{conversation_history}");
  });
});
