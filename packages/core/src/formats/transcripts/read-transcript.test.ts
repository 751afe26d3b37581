import { describe, expect, it } from "vitest";
import { isMidfoldError } from "../../errors/midfold-error.ts";
import { textOf } from "../../message/message.ts";
import { readTranscript } from "./read-transcript.ts";

const lines = (...entries: unknown[]) => entries.map((entry) => JSON.stringify(entry)).join("\n");
const words = (text: string) => readTranscript(text).messages.map((message) => `${message.role}: ${textOf(message)}`);

describe("readTranscript", () => {
  it("reads a list and a request body of OpenAI chat messages, system prompt apart", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello" },
    ];
    const list = readTranscript(JSON.stringify(messages));
    const body = readTranscript(JSON.stringify({ model: "gpt-4o", messages }));
    expect(list).toMatchObject({ format: "openai-chat", system: "Be brief.", skipped: 0 });
    expect(body).toMatchObject({ format: "openai-chat", system: "Be brief.", model: "gpt-4o" });
    expect(body.messages.map(textOf)).toEqual(["Hi", "Hello"]);
  });

  it("reads an Anthropic body with its system prompt beside the messages", () => {
    const transcript = readTranscript(
      JSON.stringify({
        model: "claude-sonnet-4-5",
        system: [{ type: "text", text: "You are kind." }],
        messages: [
          { role: "user", content: "Weather?" },
          { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: { city: "Bonn" } }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "rain" }] },
        ],
      }),
    );
    expect(transcript).toMatchObject({ format: "anthropic-messages", system: "You are kind." });
    expect(transcript.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  it("reads a Claude Code session: joins blocks of one message, leaves out side chains and notes", () => {
    const base = { sessionId: "s", timestamp: "2026-01-02T03:04:05.000Z" };
    const file = lines(
      { type: "summary", summary: "Fix the build", leafUuid: "z" },
      { ...base, type: "user", uuid: "1", isMeta: true, message: { role: "user", content: "caveat" } },
      { ...base, type: "user", uuid: "2", message: { role: "user", content: "Fix the build" } },
      {
        ...base,
        type: "assistant",
        uuid: "3",
        message: {
          id: "m",
          role: "assistant",
          model: "claude-opus-4-5",
          content: [{ type: "text", text: "Looking." }],
        },
      },
      {
        ...base,
        type: "assistant",
        uuid: "4",
        message: { id: "m", role: "assistant", content: [{ type: "tool_use", id: "t", name: "Bash", input: {} }] },
      },
      {
        ...base,
        type: "user",
        uuid: "5",
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: "t", content: "ok" }] },
      },
      {
        ...base,
        type: "assistant",
        uuid: "6",
        isSidechain: true,
        message: { role: "assistant", content: "elsewhere" },
      },
      { type: "file-history-snapshot", snapshot: {} },
    );
    const transcript = readTranscript(`${file}\n{"type":"user","uu`);
    expect(transcript).toMatchObject({
      format: "claude-code",
      title: "Fix the build",
      model: "claude-opus-4-5",
      skipped: 5,
    });
    expect(transcript.messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ["user", ["text"]],
      ["assistant", ["text", "tool-call"]],
      ["tool", ["tool-result"]],
    ]);
    expect(transcript.times[0]).toBe(Date.parse("2026-01-02T03:04:05.000Z"));
  });

  it("reads a Codex session without the events that repeat it", () => {
    const file = lines(
      { type: "session_meta", payload: { id: "x" } },
      { type: "turn_context", payload: { model: "gpt-5-codex" } },
      {
        type: "response_item",
        payload: { type: "message", role: "user", content: [{ type: "input_text", text: "2+2?" }] },
      },
      { type: "event_msg", payload: { type: "user_message", message: "2+2?" } },
      { type: "response_item", payload: { type: "function_call", call_id: "c", name: "shell", arguments: "{}" } },
      { type: "response_item", payload: { type: "function_call_output", call_id: "c", output: "4" } },
      {
        type: "response_item",
        payload: { type: "message", role: "assistant", content: [{ type: "output_text", text: "4" }] },
      },
    );
    expect(readTranscript(file)).toMatchObject({ format: "codex", model: "gpt-5-codex", skipped: 3 });
    expect(words(file)).toEqual(["user: 2+2?", "assistant: ", "tool: ", "assistant: 4"]);
  });

  it("reads the branch a ChatGPT export ends at", () => {
    const node = (parent: string | null, role: string, text: string) => ({
      parent,
      message: { author: { role }, content: { content_type: "text", parts: [text] }, create_time: 1_700_000_000 },
    });
    const conversation = {
      title: "Trip",
      current_node: "c",
      mapping: {
        root: { parent: null },
        a: node("root", "user", "Where to?"),
        b: node("a", "assistant", "Rome"),
        c: node("a", "assistant", "Oslo"),
      },
    };
    const file = JSON.stringify([conversation, conversation]);
    expect(words(file)).toEqual(["user: Where to?", "assistant: Oslo"]);
    expect(readTranscript(file)).toMatchObject({ format: "chat-export", title: "Trip" });
    expect(readTranscript(file).warnings[0]).toContain("2 conversations");
  });

  it("reads a claude.ai export", () => {
    const file = JSON.stringify([
      {
        name: "Soup",
        chat_messages: [
          { sender: "human", text: "Salt?" },
          { sender: "assistant", content: [{ type: "text", text: "A little." }] },
        ],
      },
    ]);
    expect(words(file)).toEqual(["user: Salt?", "assistant: A little."]);
  });

  it("reads Markdown by its headings and leaves headings inside code alone", () => {
    const file =
      "# A talk\n\n## User\n\nShow me a heading\n\n## Assistant\n\n```md\n## User\nnot me\n```\n\n**You:** thanks";
    expect(readTranscript(file).title).toBe("A talk");
    expect(words(file)).toEqual(["user: Show me a heading", "assistant: ```md\n## User\nnot me\n```", "user: thanks"]);
  });

  it.each([["plain words"], ["[1,2,3]"], ["{}"], [""], ["<html></html>"]])("refuses %j as no transcript", (text) => {
    expect(() => readTranscript(text)).toThrow(
      expect.toSatisfy((error: unknown) => isMidfoldError(error, "UNKNOWN_FORMAT")),
    );
  });
});
