import { describe, expect, it } from "vitest";
import type { Message } from "../message/message.ts";
import type { Part } from "../message/part.ts";
import { detectFormat } from "./detect-format.ts";
import type { FormatName } from "./format.ts";
import { formats } from "./formats.ts";

const bare = (part: Part): object => {
  const { source: _, ...rest } = part;
  return rest.type === "tool-result" ? { ...rest, content: rest.content.map(bare) } : rest;
};
const one = (name: FormatName, wire: object) => formats[name].decode([wire])[0] as Message;
const partsOf = (name: FormatName, wire: object) => one(name, wire).parts.map(bare);

describe("roles", () => {
  const anthropic = (content: unknown) => one("anthropic-messages", { role: "user", content });
  const result = { type: "tool_result", tool_use_id: "t", content: "ok" };
  it("a message of nothing but tool results is the tools'", () => {
    expect(anthropic([result, result]).role).toBe("tool");
    expect(anthropic([result, { type: "text", text: "and" }]).role).toBe("user");
    expect(anthropic([]).role).toBe("user");
  });
  it("developer is system, function is tool, and both keep their spelling", () => {
    for (const [role, neutral] of [
      ["developer", "system"],
      ["function", "tool"],
    ] as const) {
      const message = one("openai-chat", { role, name: "f", content: "x" });
      expect(message.role).toBe(neutral);
      const changed = {
        ...message,
        parts: message.parts.map((part) =>
          part.type === "text" ? { ...part, text: "y" } : { ...part, content: [{ type: "text", text: "y" }] },
        ) as Part[],
      };
      expect(formats["openai-chat"].encode(changed)).toEqual({ role, name: "f", content: "y" });
    }
  });
});

describe("changed messages", () => {
  it("a string stays a string, blocks stay blocks", () => {
    for (const name of Object.keys(formats) as FormatName[]) {
      const plain = one(name, { role: "user", content: "long" });
      expect(formats[name].encode({ ...plain, parts: [{ type: "text", text: "short" }] })).toMatchObject({
        content: "short",
      });
    }
    const block = one("openai-chat", { role: "user", content: [{ type: "text", text: "long" }] });
    expect(formats["openai-chat"].encode({ ...block, parts: [{ type: "text", text: "short" }] })).toEqual({
      role: "user",
      content: [{ type: "text", text: "short" }],
    });
  });

  it("the other blocks leave as they were, with all their fields", () => {
    const kept = { type: "text", text: "a", cache_control: { type: "ephemeral" } };
    const message = one("anthropic-messages", {
      role: "user",
      content: [kept, { type: "tool_result", tool_use_id: "t", content: "long", is_error: true }],
    });
    const [first, second] = message.parts as [Part, Part & { type: "tool-result" }];
    const { source: _, ...clipped } = { ...second, content: [{ type: "text" as const, text: "…" }] };
    const wire = formats["anthropic-messages"].encode({ ...message, parts: [first, clipped] }) as {
      content: unknown[];
    };
    expect(wire.content[0]).toBe(kept);
    expect(wire.content[1]).toEqual({ type: "tool_result", tool_use_id: "t", content: "…", is_error: true });
  });

  it("dropping reasoning drops every field that carried it", () => {
    const wire = {
      role: "assistant",
      content: "x",
      reasoning: "hm",
      reasoning_details: [{ type: "reasoning.text", text: "hm" }],
      extra: 1,
    };
    const message = one("openai-chat", wire);
    const parts = message.parts.filter((part) => part.type !== "reasoning");
    expect(formats["openai-chat"].encode({ ...message, parts })).toEqual({ role: "assistant", content: "x", extra: 1 });
  });

  it("dropping tool calls drops the field, and an emptied answer keeps a content", () => {
    const message = one("openai-chat", {
      role: "assistant",
      content: "so",
      tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: "{}" } }],
    });
    expect(formats["openai-chat"].encode({ ...message, parts: message.parts.slice(0, 1) })).toEqual({
      role: "assistant",
      content: "so",
    });
    expect(formats["openai-chat"].encode({ ...message, parts: message.parts.slice(1) })).toMatchObject({
      content: null,
    });
  });
});

describe("legacy function calls", () => {
  it("pair by their order, under ids of their own", () => {
    const call = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } };
    const messages = formats["openai-chat"].decode([
      call,
      { role: "function", name: "f", content: "1" },
      call,
      { role: "function", name: "f", content: "2" },
    ]);
    const ids = messages.map(({ parts: [part] }) =>
      part?.type === "tool-call" ? part.id : part?.type === "tool-result" ? part.callId : "",
    );
    expect(ids).toEqual(["function_call_1", "function_call_1", "function_call_2", "function_call_2"]);
    expect(messages.map((message) => formats["openai-chat"].encode(message))).toEqual(
      messages.map(({ source }) => source),
    );
  });
});

describe("Responses items", () => {
  it("tools of every kind, with namespaces as part of the name", () => {
    expect(
      partsOf("openai-responses", {
        type: "function_call",
        call_id: "a",
        namespace: "git",
        name: "status",
        arguments: "{}",
      }),
    ).toEqual([{ type: "tool-call", id: "a", name: "git__status", input: "{}" }]);
    expect(partsOf("openai-responses", { type: "shell_call", call_id: "a", action: { commands: ["ls"] } })).toEqual([
      { type: "tool-call", id: "a", name: "shell", input: '{"commands":["ls"]}' },
    ]);
    const shell = {
      type: "shell_call_output",
      call_id: "a",
      output: [{ stdout: "out", stderr: "err", outcome: { type: "exit", exit_code: 1 } }],
    };
    expect(partsOf("openai-responses", shell)).toEqual([
      { type: "tool-result", callId: "a", content: [{ type: "text", text: "outerr" }] },
    ]);
    const message = one("openai-responses", shell);
    const clipped: Part = { type: "tool-result", callId: "a", content: [{ type: "text", text: "…" }] };
    expect(formats["openai-responses"].encode({ ...message, parts: [clipped] })).toEqual({
      ...shell,
      output: [{ stdout: "…", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    });
    const screen = {
      type: "computer_call_output",
      call_id: "a",
      output: { type: "computer_screenshot", image_url: "https://x.test/s.png" },
    };
    expect(partsOf("openai-responses", screen)).toEqual([
      { type: "tool-result", callId: "a", content: [{ type: "image", url: "https://x.test/s.png" }] },
    ]);
    expect(
      partsOf("openai-responses", { type: "apply_patch_call_output", call_id: "a", status: "failed", output: "no" }),
    ).toMatchObject([{ isError: true }]);
    expect(
      one("openai-responses", { type: "tool_search_call", call_id: null, execution: "server", arguments: {} }).parts[0]
        ?.type,
    ).toBe("other");
  });

  it("a namespaced call whose arguments are clipped keeps its own name", () => {
    const wire = { type: "function_call", call_id: "a", namespace: "git", name: "status", arguments: "long" };
    const message = one("openai-responses", wire);
    const parts: Part[] = [{ type: "tool-call", id: "a", name: "git__status", input: "{}" }];
    expect(formats["openai-responses"].encode({ ...message, parts })).toEqual({ ...wire, arguments: "{}" });
  });

  it("a compaction is pinned, since it stands for everything before it", () => {
    expect(one("openai-responses", { type: "compaction", encrypted_content: "x" }).pinned).toBe(true);
  });
});

describe("AI SDK UI messages", () => {
  const tool = {
    type: "tool-weather",
    toolCallId: "a",
    state: "output-available",
    input: { city: "Rome" },
    output: { degrees: 20 },
  };
  const wire = {
    id: "m1",
    role: "assistant",
    parts: [{ type: "step-start" }, { type: "reasoning", text: "hm" }, tool, { type: "text", text: "warm" }],
    metadata: { x: 1 },
  };

  it("are detected, and a tool part is a call and its result", () => {
    expect(detectFormat([wire]).name).toBe("ai-sdk");
    expect(one("ai-sdk", wire).id).toBe("m1");
    expect(partsOf("ai-sdk", wire).slice(2, 4)).toEqual([
      { type: "tool-call", id: "a", name: "weather", input: '{"city":"Rome"}', hosted: true },
      {
        type: "tool-result",
        callId: "a",
        name: "weather",
        content: [{ type: "text", text: '{"degrees":20}' }],
        hosted: true,
      },
    ]);
    expect(formats["ai-sdk"].encode(one("ai-sdk", wire))).toBe(wire);
  });

  it("a clipped result changes only the output of its block", () => {
    const message = one("ai-sdk", wire);
    const parts = message.parts.map((part): Part => {
      if (part.type !== "tool-result") return part;
      const { source: _, ...rest } = part;
      return { ...rest, content: [{ type: "text", text: "…" }] };
    });
    expect(formats["ai-sdk"].encode({ ...message, parts })).toEqual({
      ...wire,
      parts: [wire.parts[0], wire.parts[1], { ...tool, output: "…" }, wire.parts[3]],
    });
  });

  it("a call without a result, a failed one, and files", () => {
    const pending = {
      role: "assistant",
      parts: [{ type: "dynamic-tool", toolName: "f", toolCallId: "a", state: "input-available", input: {} }],
    };
    expect(partsOf("ai-sdk", pending)).toHaveLength(1);
    expect(formats["ai-sdk"].encode(one("ai-sdk", pending))).toBe(pending);
    const failed = {
      role: "assistant",
      parts: [{ type: "tool-f", toolCallId: "a", state: "output-error", input: {}, errorText: "no" }],
    };
    expect(partsOf("ai-sdk", failed)[1]).toMatchObject({ type: "tool-result", isError: true });
    const file = { role: "user", parts: [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,QQ" }] };
    expect(partsOf("ai-sdk", file)).toEqual([{ type: "image", mediaType: "image/png", data: "QQ" }]);
  });

  it("binary data and URLs are noted without being copied", () => {
    const bytes = new Uint8Array(10);
    const message = {
      role: "user",
      content: [
        { type: "file", data: bytes, mediaType: "application/pdf" },
        { type: "image", image: new URL("https://x.test/i.png") },
      ],
    };
    expect(partsOf("ai-sdk", message)).toEqual([
      { type: "file", mediaType: "application/pdf", bytes: 10 },
      { type: "image", url: "https://x.test/i.png" },
    ]);
    expect(formats["ai-sdk"].encode(one("ai-sdk", message))).toBe(message);
  });
});
