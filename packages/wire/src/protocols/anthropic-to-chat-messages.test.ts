import { describe, expect, it } from "vitest";
import { traitsOf } from "../traits/traits-of.ts";
import { missingOutput } from "../translate/fit-messages.ts";
import {
  anthropic,
  assistant,
  base,
  bodyOf,
  type Message,
  messagesOf,
  png,
  result,
  text,
  toolUse,
  translate,
  user,
} from "./anthropic-to-chat.test-data.ts";

describe("B1 Anthropic messages to OpenAI chat", () => {
  it("B1.3 unknown fields are dropped and named, never forwarded", () => {
    const { body, dropped } = translate({ messages: [user("hi")], wonder: 1, speed: "fast" });
    expect(body).not.toHaveProperty("wonder");
    expect(dropped).toEqual(expect.arrayContaining(["wonder", "speed"]));
  });

  it("B1.3 the same protocol keeps every byte but the messages", () => {
    const raw = { ...base, messages: [user("hi")], anything: { nested: true } };
    const next = [user("folded")];
    expect(anthropic.body.withMessages(raw, next)).toEqual({ ...raw, messages: next });
    expect(anthropic.body.messagesOf(raw)).toBe(raw.messages);
  });

  it("B1.4 system strings and blocks become one system message, without empty blocks and billing header", () => {
    expect(messagesOf({ system: "Be brief.", messages: [user("hi")] })[0]).toEqual({
      role: "system",
      content: "Be brief.",
    });
    const blocks = [text("x-anthropic-billing-header: cc_version=1;"), text("A"), text(""), text("B")];
    expect(messagesOf({ system: blocks, messages: [user("hi")] })[0]).toEqual({ role: "system", content: "A\n\nB" });
    expect(anthropic.body.systemOf({ system: blocks })[0]?.parts).toHaveLength(4);
  });

  describe("B1.5 system turns inside the conversation", () => {
    const turns = [user("hi"), { role: "system", content: [text("Env")], output_config: { effort: "high" } }];
    it("stay in place under the role the upstream has for them", () => {
      expect(messagesOf({ messages: turns })).toEqual([user("hi"), { role: "system", content: "Env" }]);
      expect(messagesOf({ messages: turns }, "openai")[1]).toEqual({ role: "developer", content: "Env" });
    });
    it("become a reminder where the upstream has none, joined to the user turn", () => {
      const [only, ...rest] = messagesOf({ messages: turns }, "gemini");
      expect(rest).toEqual([]);
      expect(JSON.stringify(only)).toContain("<system-reminder>\\nEnv\\n</system-reminder>");
    });
    it("at the very start belong to the prompt, and empty ones are left out", () => {
      const leading = [{ role: "system", content: "First" }, user("hi"), { role: "system", content: [] }];
      expect(messagesOf({ system: "Zero", messages: leading })).toEqual([
        { role: "system", content: "Zero\n\nFirst" },
        user("hi"),
      ]);
    });
    it("come after the tool results they interrupt", () => {
      const roles = messagesOf({
        messages: [
          user("go"),
          assistant([toolUse("a")]),
          { role: "system", content: "Env" },
          user([result("a", "ok")]),
        ],
      }).map((message) => message.role);
      expect(roles).toEqual(["user", "assistant", "tool", "system"]);
    });
  });

  it("B1.6 user blocks keep their order, empty text goes, a single text is a string", () => {
    expect(messagesOf({ messages: [user([text(""), text("one")])] })).toEqual([user("one")]);
    const [mixed] = messagesOf({ messages: [user([text("a"), png, text("b")])] });
    expect((mixed!.content as Message[]).map((block) => block.type)).toEqual(["text", "image_url", "text"]);
  });

  it("B1.7 images travel as data URL or URL, as a placeholder without vision, and file ids are refused", () => {
    const [inline] = messagesOf({ messages: [user([png])] });
    expect(inline?.content).toEqual([{ type: "image_url", image_url: { url: "data:image/png;base64,QUJD" } }]);
    const linked = { type: "image", source: { type: "url", url: "https://x.test/a.png" } };
    expect(messagesOf({ messages: [user([linked])] })[0]?.content).toEqual([
      { type: "image_url", image_url: { url: "https://x.test/a.png" } },
    ]);
    expect(messagesOf({ messages: [user([png])] }, "deepseek")).toEqual([user("[image omitted]")]);
    const stored = { type: "image", source: { type: "file", file_id: "file_1" } };
    expect(() => messagesOf({ messages: [user([stored])] })).toThrow(
      expect.objectContaining({ code: "UNSUPPORTED_FEATURE", status: 400 }),
    );
  });

  it("B1.8 documents travel as files, text, links or placeholders", () => {
    const pdf = {
      type: "document",
      title: "a.pdf",
      source: { type: "base64", media_type: "application/pdf", data: "QQ" },
    };
    expect(messagesOf({ messages: [user([pdf])] }, "openai")[0]?.content).toEqual([
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,QQ" } },
    ]);
    expect(messagesOf({ messages: [user([pdf])] })).toEqual([user("[document omitted: a.pdf]")]);
    const plain = {
      type: "document",
      title: "Notes",
      source: { type: "text", media_type: "text/plain", data: "words" },
    };
    expect(messagesOf({ messages: [user([plain])] })).toEqual([user("Notes\nwords")]);
    const link = { type: "document", source: { type: "url", url: "https://x.test/a" } };
    expect(messagesOf({ messages: [user([link])] })).toEqual([user("[document: https://x.test/a]")]);
    const parts = { type: "document", source: { type: "content", content: [text("p1"), text("p2")] } };
    expect(messagesOf({ messages: [user([parts])] })).toEqual([user("p1\np2")]);
    const found = { type: "search_result", title: "T", source: "S", content: [text("C")] };
    expect(messagesOf({ messages: [user([found])] })).toEqual([user("T\nS\nC")]);
  });

  describe("B1.9 tool results", () => {
    it("come first, right after their calls and in their order; the user's words follow", () => {
      const messages = messagesOf({
        messages: [
          user("go"),
          assistant([text("ok"), toolUse("a"), toolUse("b")]),
          user([text("also this"), result("b", "B"), result("a", "A")]),
        ],
      });
      expect(messages.slice(2)).toEqual([
        { role: "tool", tool_call_id: "a", content: "A" },
        { role: "tool", tool_call_id: "b", content: "B" },
        user("also this"),
      ]);
    });
    it("without content are empty, several texts are joined by newlines", () => {
      const messages = messagesOf({
        messages: [assistant([toolUse("a"), toolUse("b")]), user([result("a"), result("b", [text("x"), text("y")])])],
      });
      expect(messages.map((message) => message.content)).toEqual([null, "", "x\ny"]);
    });
    it("leave a note for their images, which follow in one user message after all results", () => {
      const messages = messagesOf({
        messages: [assistant([toolUse("a"), toolUse("b")]), user([result("a", [text("shot"), png]), result("b", "B")])],
      });
      expect(messages[1]).toEqual({ role: "tool", tool_call_id: "a", content: "shot\n[image]" });
      expect(messages[2]).toEqual({ role: "tool", tool_call_id: "b", content: "B" });
      expect(messages[3]?.role).toBe("user");
      expect((messages[3]!.content as Message[]).at(-1)).toEqual({
        type: "image_url",
        image_url: { url: "data:image/png;base64,QUJD" },
      });
    });
    it("that refer to tools say so, and the tools become visible", () => {
      const tools = [
        { name: "ToolSearch", input_schema: { type: "object" } },
        { name: "Far", input_schema: { type: "object" }, defer_loading: true },
      ];
      const reference = [{ type: "tool_reference", tool_name: "Far" }];
      const before = bodyOf({ tools, messages: [user("hi")] });
      expect((before.tools as Message[]).map((tool) => (tool.function as Message).name)).toEqual(["ToolSearch"]);
      const after = bodyOf({
        tools,
        messages: [user("hi"), assistant([toolUse("a", "ToolSearch")]), user([result("a", reference)])],
      });
      expect((after.tools as Message[]).map((tool) => (tool.function as Message).name)).toEqual(["ToolSearch", "Far"]);
      expect((after.messages as Message[])[2]?.content).toBe("Tool Far is now available.");
    });
  });

  it("B1.10 a failed result says so in its words; false and absent add nothing", () => {
    const messages = messagesOf({
      messages: [
        assistant([toolUse("a"), toolUse("b")]),
        user([result("a", "no such file", { is_error: true }), result("b", "fine", { is_error: false })]),
      ],
    });
    expect(messages.slice(1).map((message) => message.content)).toEqual(["Error: no such file", "fine"]);
  });

  describe("B1.11 broken pairs", () => {
    it("a call without a result gets a stand-in", () => {
      expect(messagesOf({ messages: [assistant([toolUse("a")]), user("never mind")] })[1]).toEqual({
        role: "tool",
        tool_call_id: "a",
        content: missingOutput,
      });
    });
    it("a result without a call becomes words of the user", () => {
      const [only] = messagesOf({ messages: [user([result("zzz", "lost")])] });
      expect(only?.role).toBe("user");
      expect(JSON.stringify(only?.content)).toContain("lost");
    });
    it("of two results for one call the last one counts", () => {
      const messages = messagesOf({
        messages: [assistant([toolUse("a")]), user([result("a", "old"), result("a", "new")])],
      });
      expect(messages).toHaveLength(2);
      expect(messages[1]?.content).toBe("new");
    });
    it("more than 128 calls are split over several messages", () => {
      const ids = Array.from({ length: 130 }, (_, at) => `c${at}`);
      const messages = messagesOf({
        messages: [assistant(ids.map((id) => toolUse(id))), user(ids.map((id) => result(id, id)))],
      });
      const sizes = messages.flatMap(({ tool_calls: calls }) => (Array.isArray(calls) ? [calls.length] : []));
      expect(sizes).toEqual([128, 2]);
      expect(messages).toHaveLength(132);
    });
  });

  it("B1.12 calls keep their text, their key order and an explicit null", () => {
    const call = toolUse("a", "run", { z: 1, a: { b: [true] } });
    const [spoken, silent] = [
      messagesOf({ messages: [assistant([text("let me"), call]), user([result("a", "x")])] })[0],
      messagesOf({ messages: [assistant([call]), user([result("a", "x")])] })[0],
    ];
    expect(spoken?.content).toBe("let me");
    expect(spoken?.tool_calls).toEqual([
      { id: "a", type: "function", function: { name: "run", arguments: '{"z":1,"a":{"b":[true]}}' } },
    ]);
    expect(silent?.content).toBeNull();
    expect(messagesOf({ messages: [assistant([call]), user([result("a", "x")])] }, "ollama")[0]?.content).toBe("");
  });

  it("B1.13 ids and names the upstream refuses are replaced, the same way for call, result, tool and choice", () => {
    const long = `mcp__${"x".repeat(80)}`;
    const request = {
      tools: [{ name: long, input_schema: { type: "object" } }],
      tool_choice: { type: "tool", name: long },
      messages: [assistant([toolUse("functions.Bash:0", long)]), user([result("functions.Bash:0", "ok")])],
    };
    const { body, tools } = translate(request);
    const [call, answer] = body.messages as Message[];
    const id = ((call!.tool_calls as Message[])[0] as Message).id as string;
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    expect(answer?.tool_call_id).toBe(id);
    const name = ((body.tools as Message[])[0]!.function as Message).name as string;
    expect(name).toMatch(/^mcp__x{50}_[0-9a-f]{8}$/);
    expect(body.tool_choice).toEqual({ type: "function", function: { name } });
    expect(tools.toClient.get(name)).toEqual({ name: long, custom: false });
    const [strict] = messagesOf(request, "mistral");
    expect(((strict!.tool_calls as Message[])[0] as Message).id).toMatch(/^[A-Za-z0-9]{9}$/);
  });

  describe("B1.14 earlier thoughts", () => {
    const thought = [{ type: "thinking", thinking: "why", signature: "sig" }, text("so")];
    it("are left out, or sent in the field the upstream has for them", () => {
      expect(messagesOf({ messages: [user("q"), assistant(thought), user("r")] })[1]).toEqual(assistant("so"));
      expect(messagesOf({ messages: [user("q"), assistant(thought), user("r")] }, "vllm")[1]).toEqual({
        ...assistant("so"),
        reasoning_content: "why",
      });
      expect(messagesOf({ messages: [user("q"), assistant(thought), user("r")] }, "ollama")[1]).toEqual({
        ...assistant("so"),
        reasoning: "why",
      });
      expect(messagesOf({ messages: [user("q"), assistant(thought), user("r")] }, "openrouter")[1]).toEqual({
        ...assistant("so"),
        reasoning_details: [{ type: "reasoning.text", text: "why", signature: "sig" }],
      });
    });
    it("that Midfold signed itself never count as signed", () => {
      const own = [{ type: "thinking", thinking: "why", signature: "midfold.unsigned" }, text("so")];
      const request = anthropic.decodeRequest({ ...base, messages: [user("q"), assistant(own), user("r")] });
      expect(request.messages[1]?.parts[0]).not.toHaveProperty("signature");
      const back = anthropic.encodeRequest(request, traitsOf("anthropic")).body.messages as Message[];
      expect(back[1]?.content).toBe("so");
    });
  });

  it("B1.15 what another provider ran is told in words; a compaction replaces what came before", () => {
    const searched = [
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "q" } },
      {
        type: "web_search_tool_result",
        tool_use_id: "s",
        content: [{ type: "web_search_result", title: "T", url: "U" }],
      },
      text("found"),
    ];
    const [, said] = messagesOf({ messages: [user("q"), assistant(searched), user("r")] });
    expect(JSON.stringify(said?.content)).toContain("web_search result: T U");
    const compacted = messagesOf({
      messages: [user("old"), assistant([{ type: "compaction", content: "SUMMARY" }, text("on")]), user("new")],
    });
    expect(compacted).toEqual([user("SUMMARY"), assistant("on"), user("new")]);
    const { body, dropped } = translate({ messages: [user([text("a"), { type: "fallback", x: 1 }])] });
    expect(body.messages).toEqual([user("a")]);
    expect(dropped).toContain("fallback");
  });
});
