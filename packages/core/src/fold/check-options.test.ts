import { describe, expect, it } from "vitest";
import { presets } from "../presets/presets.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { fold } from "./fold.ts";
import type { FoldOptions } from "./fold-options.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

const chat = [{ role: "user", content: "hi" }];

describe("options are checked at the door", () => {
  it.each<[unknown, RegExp]>([
    ["gpt-4o", /options of a fold must be an object.*not "gpt-4o"/],
    [null, /options of a fold must be an object.*not null/],
    [[], /not an array/],
    [{ target: -1 }, /target must be a share above 0 and up to 1, not -1/],
    [{ target: 40 }, /target .* not 40/],
    [{ maxOutputTokens: -1 }, /maxOutputTokens must be a number of tokens, 0 or more, not -1/],
    [{ maxOutputTokens: Number.NaN }, /maxOutputTokens .* not NaN/],
    [{ window: "128k" }, /window must be a number of tokens, not "128k"/],
    [{ budget: 0 }, /^budget must be a positive number of tokens, not 0\.$/],
    [{ budget: "4000" }, /^budget must be a positive number of tokens, not "4000"\.$/],
    [{ budget: Number.POSITIVE_INFINITY }, /^budget must be a positive number of tokens, not Infinity\.$/],
    [{ target: 0 }, /^target must be a share above 0 and up to 1, not 0\.$/],
    [{ force: "yes" }, /^force must be true or false, not "yes"\.$/],
    [{ preset: 7 }, /^preset must be a preset or the name of one, not 7\.$/],
    [{ system: 7 }, /^system must be a text or a list of messages, not 7\.$/],
    [{ tools: "search" }, /^tools must be a list or a record of tools, not "search"\.$/],
    [{ tools: null }, /^tools must be a list or a record of tools, not null\.$/],
    [{ rungs: "fold-middle" }, /^rungs must be a list of rungs, not "fold-middle"\.$/],
    [{ rungs: [{ name: "mine", rule: "mine" }] }, /rung 0 is an object/],
    [{ rungs: [null] }, /rung 0 is null/],
    [{ secret: "too short: 15ch" }, /^secret must be a text of at least 16 characters, not "too short: 15ch"\.$/],
    [{ secret: 1234567890123456 }, /^secret must be a text of at least 16 characters/],
    [{ secret: Array(16).fill("a") }, /^secret must be a text of at least 16 characters, not an array/],
    [{ summary: "short" }, /^summary must be an object, not "short"\.$/],
    [{ cache: "memory" }, /^cache must be an object with find, save, not "memory"\.$/],
    [{ state: null }, /^state must be the state that an earlier fold returned\.$/],
    [{ state: { edits: [] } }, /^state must be the state that an earlier fold returned\.$/],
    [{ state: { prefix: "" } }, /^state must be the state that an earlier fold returned\.$/],
    [{ foldLine: -1 }, /^foldLine must be the id of a message or its index, not -1\.$/],
    [{ previous: { text: 7, covers: 3 } }, /^previous needs a text that is not empty\.$/],
    [{ previous: { text: "Tea.", covers: 1.5 } }, /^previous needs covers, the number of messages it stands for\.$/],
    [{ max_output_tokens: 4 }, /There is no fold option "max_output_tokens". Did you mean maxOutputTokens\?$/],
    [{ fixed: 4 }, /Did you mean fixedTokens\?$/],
    [{ warnings: 4 }, /Did you mean warn\?$/],
    [{ mypreset: 4 }, /There is no fold option "mypreset". Known: /],
    [{ Tokens: 4 }, /There is no fold option "Tokens". Known: /],
    [{ pin: [0] }, /pin must be a function, not an array/],
    [{ rungs: ["fold-middle"] }, /rungs must hold \{ name, rule, strategy \} each; rung 0 is "fold-middle"/],
    [{ cache: new Map() }, /cache has no function find, save/],
    [{ counter: {} }, /counter has no function count/],
    [
      { summary: { prompt: { prompt: "Retell {{conversation_history}}" } } },
      /summary has a field prompt that must be a text, not an object/,
    ],
    [{ summary: { summarize: async () => "x" } }, /summary has no field "summarize", only template, prompt/],
    [{ summary: { inputTokens: Number.NaN } }, /summary has a field inputTokens that must be a positive number/],
    [{ summary: { style: "long" } }, /style that must be detailed or concise/],
    [
      { summaryPolicy: { attempts: 0 } },
      /summaryPolicy has a field attempts that must be a whole number of at least 1, not 0/,
    ],
    [{ summaryPolicy: { ledgerShare: 25 } }, /ledgerShare that must be a share from 0 to 1, not 25/],
    [{ summaryPolicy: { fallback: "none" } }, /fallback that must be digest or throw/],
    [{ summaryPolicy: { retries: 2 } }, /summaryPolicy has no field "retries", only fallback, attempts/],
    [{ summarizer: "gpt-4o-mini" }, /summarizer must be an object with summarize, not "gpt-4o-mini"/],
    [{ state: { id: "x" } }, /state must be the state that an earlier fold returned/],
    [{ recall: -5 }, /recall must be/],
    [{ retainTokens: -1 }, /retainTokens must be a number of tokens, 0 or more, not -1/],
    [{ retainTokens: "1k" }, /retainTokens .* not "1k"/],
    [{ foldLine: "" }, /foldLine must be the id of a message or its index, not ""/],
    [{ foldLine: 1.5 }, /foldLine .* not 1.5/],
    [{ previous: "They agreed on tea." }, /previous must be \{ text, covers \}, not "They agreed on tea."/],
    [{ previous: { text: " ", covers: 3 } }, /previous needs a text that is not empty/],
    [{ previous: { text: "Tea.", covers: 0 } }, /previous needs covers, the number of messages it stands for/],
    [{ previous: { text: "Tea.", covers: 2, role: "tool" } }, /previous has a role "tool" that no frame can have/],
    [{ onProgress: true }, /onProgress must be a function/],
    [{ previousSummary: "Tea." }, /Did you mean previous\?/],
    [{ onInvalid: "drop" }, /onInvalid must be "reject" or "skip", not "drop"/],
    [{ model: 4 }, /model must be a text, not 4/],
    [{ warn: true }, /warn must be a function/],
    [{ signal: {} }, /signal must be an AbortSignal/],
    [{ preset: "agents" }, /There is no preset "agents"/],
    [{ maxTokens: 4000 }, /There is no fold option "maxTokens". Did you mean budget\?/],
    [{ Window: 4000 }, /Did you mean window\?/],
    [{ colour: "red" }, /There is no fold option "colour". Known: model, /],
  ])("%o", async (options, message) => {
    const error = expect.objectContaining({ code: "VALIDATION_ERROR", message: expect.stringMatching(message) });
    await expect(fold(chat, options as FoldOptions)).rejects.toEqual(error);
    const waits =
      options !== null &&
      typeof options === "object" &&
      ["cache", "summarizer", "onProgress"].some((name) => name in options);
    if (!waits) expect(() => foldSync(chat, options as FoldOptions)).toThrow(error);
    expect(() => planOnly(chat, options as FoldOptions)).toThrow(error);
  });

  it("an aborted signal ends it before it begins", async () => {
    await expect(fold(chat, { signal: AbortSignal.abort("enough") })).rejects.toMatchObject({
      code: "ABORTED",
      message: "The fold was cancelled before it began.",
      cause: "enough",
    });
  });

  it.each<FoldOptions>([
    { counter: (text) => text.length },
    { counter: getCounter("gpt-4o") },
    { preset: presets.agent },
    { rungs: [] },
    { target: 1 },
    { system: [{ role: "system", parts: [{ type: "text", text: "Be brief." }] }] },
    { tools: {} },
    { secret: "exactly 16 chars" },
    { maxOutputTokens: 0, recall: 0, retainTokens: 0 },
    { onInvalid: "skip" },
    { onInvalid: "reject" },
    { summarizer: { name: "mine", summarize: async () => ({ text: "Short.", finish: "complete" }) } },
  ])("what is right is taken: %o", async (options) => {
    expect((await fold(chat, options)).outcome).toBe("fits");
  });

  it("the first message is a line too", () => {
    expect(planOnly([...chat, ...chat], { foldLine: 0, preset: "chat" }).tokens.before).toBeGreaterThan(0);
  });

  it("foldSync refuses what it would have to wait for", () => {
    const options = { summarizer: async () => "short" } as FoldOptions;
    expect(() => foldSync(chat, options)).toThrow(/foldSync cannot wait for a summarizer/);
    expect(() => foldSync(chat, { onProgress: () => {} } as FoldOptions)).toThrow(
      "foldSync ends before anybody could be told: call fold, or leave onProgress out.",
    );
  });

  it("options that are undefined are absent", () => {
    expect(foldSync(chat, { window: undefined, pin: undefined } as unknown as FoldOptions).outcome).toBe("fits");
  });

  it("a counter needs the name of a model", () => {
    expect(() => getCounter(undefined as unknown as string)).toThrow(/getCounter needs the name of a model/);
  });
});
