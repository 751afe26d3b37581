import { describe, expect, it } from "vitest";
import type { Warning } from "../errors/warning.ts";
import type { PresetName } from "../presets/preset.ts";
import { presets } from "../presets/presets.ts";
import { fold } from "./fold.ts";

const chat = Array.from({ length: 121 }, (_, index) => ({
  role: index % 2 === 0 ? "user" : "assistant",
  content:
    index % 2 === 0
      ? `And step ${index}?`
      : `Step ${index} reads the file. ${"It writes the rows as they come. ".repeat(40)}`,
}));
const options = { model: "gpt-4o", window: 16_000, maxOutputTokens: 1_000 } as const;

describe("a summarizer that is given", () => {
  it.each(["agent", "proxy", "chat", "sandwich", "compact"] as const)("is used by the %s preset", async (preset) => {
    const result = await fold(chat, { ...options, preset, summarizer: async () => "They talked about the importer." });
    expect(result.state?.by).toBe("summary");
    expect(JSON.stringify(result.messages)).toContain("They talked about the importer.");
  });

  it("a preset that writes nothing in place of the middle says that it is not used", async () => {
    const warnings: Warning[] = [];
    const preset = { ...presets.agent, name: "window", replace: "nothing" } as const;
    const result = await fold(chat, {
      ...options,
      preset,
      summarizer: async () => "unused",
      warn: (warning) => warnings.push(warning),
    });
    expect(result.warnings.map(({ code }) => code)).toContain("summarizer-unused");
    expect(warnings).toEqual(result.warnings);
  });

  it.each<PresetName>(["agent", "compact"])("what it failed with is in the result and in warn: %s", async (preset) => {
    const warnings: Warning[] = [];
    let calls = 0;
    const result = await fold(chat, {
      ...options,
      preset,
      summarizer: async () => {
        calls++;
        throw Object.assign(new Error("401 invalid api key"), { status: 401 });
      },
      warn: (warning) => warnings.push(warning),
    });
    expect(result.outcome).toBe("folded");
    expect(result.state?.by).toBe("digest");
    const said = result.warnings.find(({ code }) => code === "summary-fell-back");
    expect(said?.message).toContain("401 invalid api key");
    expect(said?.details?.attempts).toMatchObject([{ outcome: "error", error: "401 invalid api key" }]);
    expect(warnings).toEqual(result.warnings);
    // A refused key stays refused: asking again costs time and may lock the account.
    expect(calls).toBe(result.plan.spans.length);
  });

  it.each<[unknown, RegExp]>([
    [undefined, /returned no text/],
    [7, /returned no text/],
    [{ text: ["They talked."] }, /returned no text/],
    [{ text: "They talked.", finish: "stop" }, /it ended with "stop"/],
  ])("one that returns %o is answered with a digest, and told what was wrong", async (returned, message) => {
    const result = await fold(chat, { ...options, summarizer: (async () => returned) as never });
    expect(result.state?.by).toBe("digest");
    expect(result.warnings.find(({ code }) => code === "summary-fell-back")?.message).toMatch(message);
  });

  it("a text in an object is complete where nothing says otherwise", async () => {
    const result = await fold(chat, { ...options, summarizer: (async () => ({ text: "They talked." })) as never });
    expect(result.state?.by).toBe("summary");
  });

  it("what it invents is marked and told", async () => {
    const result = await fold(chat, { ...options, summarizer: async () => "The importer listens on port 48213." });
    expect(JSON.stringify(result.messages)).toContain("port 48213 [not in the messages]");
    const told = result.warnings.find(({ code }) => code === "summary-invented");
    expect(told).toMatchObject({ message: expect.stringContaining("48213"), details: { invented: ["48213"] } });
  });

  it.each(["agent", "chat"] as const)("what stays in the conversation was said: %s", async (preset) => {
    const given = { system: "Deploys go to https://deploy.example.org/7731.", instructions: "Name ticket AUTH-4821." };
    const result = await fold(
      [
        { role: "system", content: "The service listens on port 48213." },
        ...chat,
        { role: "assistant", content: "It is in src/orders/load.ts." },
        { role: "user", content: "And what about invoice 991827?" },
      ],
      {
        ...options,
        preset,
        system: given.system,
        summary: { instructions: given.instructions },
        summarizer: async () =>
          "The importer in src/orders/load.ts listens on 48213, not 55001. See https://deploy.example.org/7731 for invoice 991827 and AUTH-4821.",
      },
    );
    expect(result.warnings.find(({ code }) => code === "summary-invented")?.details).toEqual({ invented: ["55001"] });
    expect(JSON.stringify(result.messages).match(/\[not in the messages\]/g)).toHaveLength(1);
  });

  it("a mark of an earlier summary that stays in the list, or that an answer repeats, makes nothing said", async () => {
    const first = await fold(chat, { ...options, summarizer: async () => "The importer listens on port 48213." });
    const marked = "It listens on 48213 [not in the messages], so the note says.";
    const next = [...first.messages, { role: "assistant", content: marked }, ...chat];
    const second = await fold(next, { ...options, summarizer: async () => "They said that port 48213 is used." });
    expect(second.warnings.find(({ code }) => code === "summary-invented")?.details).toEqual({ invented: ["48213"] });
  });

  it.each(["agent", "chat"] as const)("rules stay when its text fills all the room: %s", async (preset) => {
    const rule = "From now on, never touch the file legacy/db.ts.";
    const result = await fold([{ role: "user", content: rule }, { role: "assistant", content: "Yes." }, ...chat], {
      ...options,
      preset,
      summarizer: async () => "They changed the file and looked at it. ".repeat(20_000),
    });
    expect(result.state?.by).toBe("summary");
    expect(JSON.stringify(result.messages)).toContain(`- ${rule}`);
  });

  it("rules that one summary tells in its prose are not lost when the next one does not", async () => {
    const rule = "From now on, never touch the file legacy/db.ts.";
    let history: { role: string; content: string }[] = [
      { role: "user", content: rule },
      { role: "assistant", content: "Yes." },
      ...chat,
    ];
    for (let generation = 0; generation < 10; generation++) {
      const text = generation % 2 === 0 ? `The user said: "${rule}" They went on.` : "They went on with the importer.";
      const result = await fold(history, {
        ...options,
        preset: "chat",
        secret: "sixteen letters..",
        summarizer: async () => text,
      });
      expect(result.state?.by).toBe("summary");
      expect(JSON.stringify(result.messages)).toContain(`- ${rule}`);
      history = [...result.messages, ...chat];
    }
  });

  it("what was wrong with its text is said in words", async () => {
    const result = await fold(chat, { ...options, summarizer: async () => ({ text: "Half a", finish: "cut-off" }) });
    expect(result.warnings.find(({ code }) => code === "summary-fell-back")?.message).toMatch(/cut off/);
  });

  it("throws the same words where the digest may not stand in", async () => {
    const failing = fold(chat, {
      ...options,
      summaryPolicy: { fallback: "throw", attempts: 1 },
      summarizer: async () => Promise.reject(new Error("model not found")),
    });
    await expect(failing).rejects.toMatchObject({
      code: "SUMMARY_FAILED",
      message: expect.stringContaining("model not found"),
    });
  });
});
