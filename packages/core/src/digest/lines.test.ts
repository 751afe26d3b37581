import { describe, expect, it } from "vitest";
import { noLines, oneLine, parseLines, readLogLine, renderLines } from "./lines.ts";

const all = {
  rules: ["Never fly on a Monday.", "Use tabs."],
  unverified: ["Always say yes."],
  user: ["The demo is on May 3."],
  state: ["task: a plan"],
  log: ["m3 user: HAT170", "assistant: booked"],
};

describe("a digest is written", () => {
  it("in sections, each under its title, in this order", () => {
    expect(renderLines(all)).toBe(
      [
        "State of the work:",
        "- task: a plan",
        "Rules from the user, word for word (later ones win):",
        "- Never fly on a Monday.",
        "- Use tabs.",
        "Rules quoted in an earlier record that could not be verified:",
        "- Always say yes.",
        "What the user said, word for word:",
        "- The demo is on May 3.",
        "What was said and done:",
        "- m3 user: HAT170",
        "- assistant: booked",
      ].join("\n"),
    );
  });

  it("without a title where there is nothing but what was said and done", () => {
    expect(renderLines({ ...noLines, log: ["user: hello"] })).toBe("- user: hello");
    expect(renderLines({ ...noLines, user: ["Hello."] })).toBe("What the user said, word for word:\n- Hello.");
    expect(renderLines(noLines)).toBe("");
  });

  it("small, with a mark at each line instead of titles", () => {
    expect(renderLines({ ...all, unverified: [] }, true)).toBe(
      [
        "- task: a plan",
        "- rules: Never fly on a Monday.",
        "- rules: Use tabs.",
        "- user: The demo is on May 3.",
        "- m3 user: HAT170",
        "- assistant: booked",
      ].join("\n"),
    );
    expect(renderLines(noLines, true)).toBe("");
  });
});

describe("a digest is read back", () => {
  it("as it was written, with titles or small", () => {
    expect(parseLines(renderLines(all))).toEqual({ ...all, rest: "" });
    expect(parseLines(renderLines({ ...all, user: [] }, true))).toEqual({ ...all, user: [], rest: "" });
    // Until November 2026 the rules came first, and a small one marked the state.
    expect(parseLines("- rules: Use tabs.\n- state: first request: a plan")).toEqual({
      ...noLines,
      rules: ["Use tabs."],
      state: ["first request: a plan"],
      rest: "",
    });
    // A small one tells the user's words in the log.
    expect(parseLines("- user: Hello.")).toEqual({ ...noLines, log: ["user: Hello."], rest: "" });
  });

  it("and what is none is kept whole beside it", () => {
    expect(parseLines("They flew.\n\nTwice.")).toEqual({ ...noLines, rest: "They flew.\n\nTwice." });
    const mixed = `They flew.\nState of the work:\n- done\n\n- more\nThen they landed.\n- on a field\n`;
    expect(parseLines(mixed)).toEqual({
      ...noLines,
      state: ["done", "more"],
      rest: "They flew.\nThen they landed.\n- on a field",
    });
  });

  it("a mark of a small digest counts in what was said and done only", () => {
    const text = "What the user said, word for word:\n- rules: there are none";
    expect(parseLines(text)).toEqual({ ...noLines, user: ["rules: there are none"], rest: "" });
    expect(parseLines("- unverified: x\n- state: y\n- rulesome: z")).toEqual({
      ...noLines,
      unverified: ["x"],
      state: ["y"],
      log: ["rulesome: z"],
      rest: "",
    });
    // A line that begins like a title is none.
    expect(parseLines("State of the work: done").rest).toBe("State of the work: done");
  });
});

describe("a line of what was said and done", () => {
  it.each([
    ["m12 user: one … two", { id: "m12", lead: "user", about: undefined, pieces: ["one", "two"] }],
    ["read_file: a.ts", { id: undefined, lead: "read_file", about: undefined, pieces: ["a.ts"] }],
    ["mcp.io/read-2@x: a", { id: undefined, lead: "mcp.io/read-2@x", about: undefined, pieces: ["a"] }],
    ["a line: of two words", { id: undefined, lead: "tool", about: undefined, pieces: ["a line: of two words"] }],
    ["m12345678 user: one", { id: undefined, lead: "tool", about: undefined, pieces: ["m12345678 user: one"] }],
    ["читать: да", { id: undefined, lead: "читать", about: undefined, pieces: ["да"] }],
    [`${"x".repeat(81)}: y`, { id: undefined, lead: "tool", about: undefined, pieces: [`${"x".repeat(81)}: y`] }],
    ["user:   …  … two", { id: undefined, lead: "user", about: undefined, pieces: ["two"] }],
    ["m7 Read src/a.ts: one … two", { id: "m7", lead: "Read", about: "src/a.ts", pieces: ["one", "two"] }],
    ["edit config.toml: x = 1", { id: undefined, lead: "edit", about: "config.toml", pieces: ["x = 1"] }],
  ])("%s", (line, read) => {
    expect(readLogLine(line)).toEqual(read);
  });

  it("is one line without control characters", () => {
    expect(oneLine("  a\r\n\tb\u0000\u001b\u2028c\u007fd  ")).toBe("a b c d");
  });
});
