import { longDraft, toAnthropicMessages, toOpenaiChat } from "@midfold/testkit";
import { describe, expect, it } from "vitest";
import type { Warning } from "../errors/warning.ts";
import type { FoldCache, FoldRecord } from "../plan/fold-record.ts";
import { presets } from "../presets/presets.ts";
import type { Summarizer, SummaryRequest } from "../summary/summarizer.ts";
import { countTokens } from "../tokens/count-tokens.ts";
import { fold } from "./fold.ts";
import { foldSync } from "./fold-sync.ts";
import { planOnly } from "./plan-only.ts";

const chat = toOpenaiChat(longDraft({ turns: 120, seed: 7, toolShare: 0.4 }));
const options = { model: "gpt-4o", window: 24_000, maxOutputTokens: 2_000 } as const;

function summarizer(
  write: (request: SummaryRequest, call: number) => string,
): Summarizer & { requests: SummaryRequest[] } {
  const requests: SummaryRequest[] = [];
  return {
    name: "test",
    requests,
    summarize: async (request) => {
      requests.push(request);
      return { text: write(request, requests.length), finish: "complete", model: "test-model" };
    },
  };
}

describe("fold", () => {
  it("returns the same array when everything fits, and says how large it is", () => {
    const messages = [{ role: "user", content: "Hello" }];
    const result = foldSync(messages, { model: "gpt-4o" });
    expect(result.messages).toBe(messages);
    expect(result.outcome).toBe("fits");
    expect(result.tokens).toMatchObject({ before: 8, after: 8, exact: true });
    expect(planOnly(messages, { model: "gpt-4o" }).tokens.before).toBe(8);
  });

  it("a single call fills its budget and explains itself", () => {
    const result = foldSync(chat, options);
    expect(result.outcome).toBe("folded");
    expect(result.tokens.after).toBeLessThanOrEqual(result.tokens.budget);
    expect(result.tokens.target).toBe(result.tokens.budget);
    expect(result.plan.reasons.length).toBeGreaterThan(0);
    for (const reason of result.plan.reasons) expect(reason.freed).toBeGreaterThan(0);
    expect(result.plan.decisions).toHaveLength(result.plan.atoms.length);
  });

  it("a dry run only plans", () => {
    const before = JSON.stringify(chat);
    const plan = planOnly(chat, options);
    expect(plan.spans).toHaveLength(1);
    expect(JSON.stringify(chat)).toBe(before);
    expect(planOnly(chat.slice(0, 4), options).atoms).toEqual([]);
  });

  it("clips a last user message that alone is too large, in its middle, and says so", () => {
    const messages = [{ role: "user", content: `Read this: ${"word ".repeat(5_000)} What is it about?` }];
    const result = foldSync(messages, { model: "gpt-4o", budget: 1_000 });
    const { content } = result.messages[0]!;
    expect(result.tokens.after).toBeLessThanOrEqual(1_000);
    expect(content).toMatch(/^Read this: word/);
    expect(content).toMatch(/What is it about\?$/);
    expect(result.warnings.map((warning) => warning.code)).toContain("last-message-clipped");
    expect(result.plan.reasons.map((reason) => reason.rung)).toContain("clip-newest");
  });

  it("gives a clipped question what was set aside for excerpts, where nothing was folded that they could quote", () => {
    const turn = (i: number) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `Pump ${i} of the harbour was read at ${i} bar. `.repeat(8),
    });
    const listing = Array.from({ length: 900 }, (_, i) => `Pump line ${i}: valve ${i * 3} is open.`).join("\n");
    const messages = [
      ...Array.from({ length: 8 }, (_, i) => turn(i)),
      { role: "user", content: `${listing}\nWhich pump was read at 3 bar?` },
    ];
    const { tokens, plan, warnings } = foldSync(messages, { model: "gpt-4o", budget: 4_000 });
    expect(plan.spans).toEqual([]);
    expect(tokens.after).toBeGreaterThan(3_800);
    expect(warnings).toHaveLength(1);
  });

  it("leaves the frame a share of the budget where ends that must stay are above the low-water mark", () => {
    const said = (text: string, at: number) => ({ role: at % 2 === 0 ? "user" : "assistant", content: text });
    const long = (at: number) => said(`Report ${at}: ${"the pump ran and the valve held. ".repeat(110)}`, at);
    const talk = Array.from({ length: 200 }, (_, i) =>
      said(`Step ${i} uses part P-${1_000 + i} of shelf ${i * 7}.`, i + 5),
    );
    const messages = [0, 1, 2, 3, 4].map(long).concat(talk, [205, 206, 207, 208].map(long), said("Go on.", 210));
    const { messages: out, tokens } = foldSync(messages, {
      model: "gpt-4o",
      preset: "sandwich",
      budget: 10_000,
      target: 0.1,
    });
    const frame = out.find(({ content }) => content.startsWith("[Earlier conversation summary"))!;
    expect(countTokens([frame], { model: "gpt-4o" })).toBeGreaterThan(600);
    expect(tokens.after).toBeLessThanOrEqual(10_000);
  });

  it("leaves a short request of the user whole where the result after it is what fills the budget", async () => {
    const request = {
      role: "user",
      content: "Please return the blue bicycle of order W3916020, the one with the bent wheel.",
    };
    const call = { id: "a", type: "function", function: { name: "look", arguments: "{}" } };
    const messages = [
      ...Array.from({ length: 20 }, (_, i) => ({
        role: i % 2 === 0 ? "user" : "assistant",
        content: `Turn ${i}. ${"We talked about the garden at length. ".repeat(6)}`,
      })),
      request,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "The order W3916020 has a bicycle, a lamp and a bell. ".repeat(30) },
    ];
    for (const budget of [120, 200, 300, 500]) {
      const { messages: out } = await fold(messages, { model: "gpt-4o", budget });
      expect(out).toContainEqual(request);
    }
  });

  it("names the sizes when it cannot fit", () => {
    const messages = [{ role: "user", content: "word ".repeat(5_000) }];
    expect(() => foldSync(messages, { model: "gpt-4o", budget: 1_000, preset: "proxy" })).toThrow(
      expect.objectContaining({
        code: "CONTEXT_OVERFLOW",
        message: expect.stringContaining("last user message"),
        details: expect.objectContaining({ budget: 1_000 }),
      }),
    );
  });

  it("counts tools and a system prompt beside the messages, and says when they alone are too large", () => {
    const tools = [{ name: "search", description: "Find things. ".repeat(400), schema: { type: "object" } }];
    const result = foldSync(chat, { ...options, system: "Be brief. ".repeat(100), tools });
    expect(result.tokens.fixed).toBeGreaterThan(1_000);
    const named = foldSync(chat, { ...options, tools, toolChoice: { type: "tool", name: "search" } });
    expect(named.tokens.before - foldSync(chat, { ...options, tools }).tokens.before).toBe(5);
    expect(() => foldSync(chat, { ...options, budget: 900, tools })).toThrow(/tools and system beside the messages/);
  });

  it("carries an earlier digest on where the history is too long to be read again at every fold", () => {
    const paragraph = "The importer reads one file after the other and writes a line for each of them. ".repeat(60);
    const history = Array.from({ length: 900 }, (_, turn) => [
      {
        role: "user",
        content: turn === 3 ? "You must never delete rows from billing_events." : `Turn ${turn}: ${paragraph}`,
      },
      { role: "assistant", content: `Done with part ${turn}.` },
    ]).flat();
    const first = foldSync(history.slice(0, 1_700), options);
    const second = foldSync(history, { ...options, state: first.state! });
    expect([first.outcome, second.outcome]).toEqual(["folded", "folded"]);
    expect(second.plan.spans[0]!.tokens).toBeGreaterThan(250_000);
    expect(second.state?.texts[0]).toContain("You must never delete rows from billing_events.");
  });

  it("pins by predicate", () => {
    const result = foldSync(chat, { ...options, pin: (_, index) => index === 40 });
    expect(result.messages).toContain(chat[40]);
  });

  it("skips or rejects malformed messages, as asked", () => {
    const broken = [...chat.slice(0, 5), { role: 42 }, ...chat.slice(5)] as typeof chat;
    expect(() => foldSync(broken, options)).toThrow(expect.objectContaining({ code: "INVALID_MESSAGE" }));
    const seen: Warning[] = [];
    const result = foldSync(broken, { ...options, onInvalid: "skip", warn: (warning) => seen.push(warning) });
    expect(result.warnings.map((warning) => warning.code)).toContain("invalid-message-skipped");
    expect(seen).toEqual(result.warnings);
  });

  it("refuses unusable options by name", () => {
    expect(() => foldSync(chat, { preset: "nope" as never })).toThrow(/There is no preset "nope"/);
    expect(() => foldSync(chat, { window: 0 })).toThrow(/Context limit must be positive/);
    expect(() => foldSync(chat, { budget: -5 })).toThrow(/budget must be a positive number/);
    expect(() => foldSync(chat, { preset: { ...presets.agent, target: 3 } })).toThrow(/share between 0 and 1/);
  });

  it("warns about a model nobody knows and uses a careful window", () => {
    const result = foldSync(chat, { model: "totally-unknown-model" });
    expect(result.warnings.map((warning) => warning.code)).toContain("unknown-model");
    expect(result.tokens.window).toBeLessThan(100_000);
  });

  it("clips a huge tool result as it appears where asked to, and the same way ever after", () => {
    const output = Array.from({ length: 4_000 }, (_, line) => `row ${line}: ok`).join("\n");
    const messages = [
      { role: "user", content: "run it" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "run", arguments: "{}" } }],
      },
      { role: "tool", tool_call_id: "1", content: output },
    ];
    const once = foldSync(messages, { model: "gpt-4o", clipNewResults: 0.1 });
    expect(once.outcome).toBe("clipped");
    const grown = foldSync([...messages, { role: "assistant", content: "done" }, { role: "user", content: "more" }], {
      model: "gpt-4o",
      clipNewResults: 0.1,
    });
    expect(JSON.stringify(grown.messages.slice(0, 3))).toBe(JSON.stringify(once.messages));
    expect(JSON.stringify(once.messages)).toContain("[Output truncated...]");
  });

  it("starts with a user message where the protocol wants turns", () => {
    const { messages, system } = toAnthropicMessages(longDraft({ turns: 60, seed: 3, toolShare: 0.6 }));
    const result = foldSync(messages, { model: "claude-sonnet-4-5", window: 12_000, ...(system && { system }) });
    expect(result.outcome).toBe("folded");
    const roles = result.messages.map((message) => (message as { role: string }).role);
    expect(roles[0]).toBe("user");
    for (let index = 1; index < roles.length; index++) expect(roles[index]).not.toBe(roles[index - 1]);
  });
});

describe("fold with a summarizer", () => {
  const preset = "sandwich" as const;

  it("puts the model's words in place of the middle", async () => {
    const model = summarizer(() => "They agreed on the plan.");
    const result = await fold(chat, { ...options, preset, summarizer: model });
    const frame = result.messages.find((message) => JSON.stringify(message).includes("They agreed on the plan."));
    // The middle has tool results in it, whose text must not rise to the system role.
    expect(frame).toMatchObject({ role: "user" });
    const talk = chat.filter(({ role, tool_calls }) => role !== "tool" && tool_calls === undefined);
    const plain = await fold(talk, { ...options, window: 8_000, maxOutputTokens: 500, preset, summarizer: model });
    expect(plain.messages.find((message) => JSON.stringify(message).includes("They agreed"))).toMatchObject({
      role: "system",
    });
    expect(result.state).toMatchObject({ by: "summary", model: "test-model" });
    expect(result.losses).toHaveLength(1);
  });

  it("cascades: the previous summary and only what came since", async () => {
    const model = summarizer((_, call) => `Summary number ${call}.`);
    const first = await fold(chat.slice(0, 300), { ...options, preset, summarizer: model });
    const second = await fold(chat, { ...options, preset, summarizer: model, state: first.state!, force: true });
    expect(second.outcome).toBe("folded");
    expect(model.requests[1]?.previous).toContain("Summary number 1.");
    expect(model.requests[1]!.messages.length).toBeLessThan(model.requests[0]!.messages.length + chat.length - 300);
  });

  it("falls back to the digest when the summarizer fails, and says so", async () => {
    const failing: Summarizer = { name: "broken", summarize: () => Promise.reject(new Error("no network")) };
    const result = await fold(chat, { ...options, preset, summarizer: failing });
    expect(result.outcome).toBe("folded");
    expect(result.state?.by).toBe("digest");
    expect(result.warnings.map((warning) => warning.code)).toContain("summary-fell-back");
  });

  it("meets its earlier fold in a cache, as the conversation grows, and not after an edit", async () => {
    const records = new Map<string, FoldRecord>();
    const cache: FoldCache = {
      find: (chain) =>
        chain
          .toReversed()
          .map((hash) => records.get(hash))
          .find((record) => record !== undefined),
      save: (record) => void records.set(record.prefix, record),
    };
    const model = summarizer(() => "Once.");
    const whole = { ...options, preset, summarizer: model, cache, summary: { inputTokens: 200_000 } };
    const first = await fold(chat.slice(0, -4), whole);
    const grown = await fold(structuredClone(chat), whole);
    expect([first.outcome, grown.outcome]).toEqual(["folded", "reused"]);
    expect(model.requests).toHaveLength(1);
    expect(JSON.stringify(grown.messages)).toContain(JSON.stringify(first.messages).slice(0, -1));
    const edited = [{ ...chat[0]!, content: "Other instructions." }, ...chat.slice(1)];
    expect((await fold(edited, { ...options, preset, summarizer: model, cache })).outcome).toBe("folded");
  });
});
