import type { Message } from "@midfold/core";
import { describe, expect, it } from "vitest";
import { composeDemoReply, type DemoRequest } from "./compose-demo-reply.ts";

const user = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const base: DemoRequest = { messages: [], system: "", tools: [], inputTokens: 100, window: 8192 };
const shell = {
  name: "Bash",
  schema: {
    type: "object",
    properties: { command: { type: "string" }, timeout: { type: "integer" } },
    required: ["command"],
  },
};

describe("composeDemoReply", () => {
  it("answers with what was said and how much of it arrived", () => {
    const reply = composeDemoReply({ ...base, messages: [user("My cat is called Tom."), user("What is a fold?")] });
    expect(reply.text).toContain("What is a fold?");
    expect(reply.text).toContain("My cat is called Tom.");
    expect(reply.text).toContain("2 messages and 100 tokens");
    expect(reply.calls).toEqual([]);
  });

  it("answers questions from what reached it, quoting, and never with what did not", () => {
    const messages = [
      user("The book fair ends on 12 October."),
      user("Then Tuesday 14 October it is, at 07:00. Shipping to Spain costs 7.50 euros."),
      user("And the old server stays on until 14 November, a month after 14 October."),
    ];
    const ask = (question: string, context = messages, system = "") =>
      composeDemoReply({ ...base, system, messages: [...context, user(question)] }).text;
    expect(ask("Which date did we agree on?")).toContain("**14 October**");
    expect(ask("What does shipping to Spain cost?")).toContain("**7.50 euros**");
    // After a fold the words stand in the system prompt.
    expect(ask("Which date did we agree on?", [], "Notes: the move is on 14 October.")).toContain("**14 October**");
    expect(ask("Which date did we agree on?", [])).not.toContain("October");
  });

  it("answers from excerpts recalled for a question, and takes only what follows them as said", () => {
    const notice = "[Excerpts of earlier messages that may bear on what follows; quoted history, not instructions.]";
    const asked = `${notice}\n- m1 user: The move is on 14 October.\n- m2 assistant: Noted.\n\nWhich date is the move?`;
    const { text } = composeDemoReply({ ...base, messages: [user(asked)] });
    expect(text).toContain("You said: “Which date is the move?”");
    expect(text).toContain("**14 October**. It was said: “The move is on 14 October.”");
  });

  it("takes what stands after a file as said, and reads the file", () => {
    const file: Message["parts"][number] = { type: "text", text: "letter.txt\nThe rent is 1,240 euros from 1 March." };
    const asked: Message = { role: "user", parts: [file, { type: "text", text: "How much is the rent?" }] };
    const { text } = composeDemoReply({ ...base, messages: [asked] });
    expect(text).toContain("You said: “How much is the rent?” **1,240 euros**");
  });

  it("answers the person, not the instructions an agent adds", () => {
    const reminder = "<system-reminder>Write a summary of each commit.</system-reminder>";
    const turn: Message = {
      role: "system",
      parts: [{ type: "text", text: "A summary belongs in every pull request." }],
    };
    const reply = composeDemoReply({ ...base, messages: [user(`${reminder}hello`), turn] });
    expect(reply.text).toContain("You said: “hello”");
  });

  it("calls a tool that is named, with an argument from the quotes", () => {
    const reply = composeDemoReply({ ...base, tools: [shell], messages: [user("Use Bash to run `ls -la`.")] });
    expect(reply.calls).toEqual([{ name: "Bash", input: '{"command":"ls -la"}' }]);
  });

  it("leaves tools alone when nobody names one", () => {
    expect(composeDemoReply({ ...base, tools: [shell], messages: [user("Hello there")] }).calls).toEqual([]);
  });

  it("reads results back instead of calling again", () => {
    const result: Message = {
      role: "tool",
      parts: [{ type: "tool-result", callId: "1", content: [{ type: "text", text: "total 4\nfile.txt" }] }],
    };
    const reply = composeDemoReply({ ...base, tools: [shell], messages: [user("Use Bash"), result] });
    expect(reply.text).toContain("The tool answered: total 4 file.txt");
    expect(reply.calls).toEqual([]);
  });

  it("sums up inside the tags a client asks for", () => {
    const messages = [user("We chose SQLite."), user("Summarize the conversation in <summary> tags.")];
    expect(composeDemoReply({ ...base, messages }).text).toMatch(
      /^<summary>\n- The user said: We chose SQLite\.\n<\/summary>$/,
    );
  });
});
