import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryWireConversation, writeWire } from "../generate/arbitrary-conversation.ts";
import { draftFromPattern } from "../generate/from-pattern.ts";
import { longDraft } from "../generate/long-conversation.ts";
import type { WireObject } from "../generate/to-openai-chat.ts";
import { validateWire } from "./validate-wire.ts";

const formats = ["openai-chat", "anthropic-messages", "openai-responses"] as const;

describe.each(formats)("%s", (format) => {
  test("accepts every valid generated conversation", () => {
    fc.assert(
      fc.property(
        arbitraryWireConversation(format, { valid: true, maxChars: 200, giantChars: 2_000 }),
        (conversation) => {
          expect(validateWire(conversation)).toBeUndefined();
        },
      ),
      { numRuns: 300 },
    );
  });

  test("accepts a long conversation", () => {
    expect(validateWire(writeWire(format, { steps: longDraft({ turns: 300 }).steps.slice(0, -1) }))).toBeUndefined();
  });

  test.each(["missingResults", "duplicateResults", "orphanResults", "reusedIds"] as const)("refuses %s", (flaw) => {
    const conversations = fc.sample(
      arbitraryWireConversation(format, {
        maxChars: 20,
        switches: {
          ...{ missingResults: false, duplicateResults: false, orphanResults: false, misplacedResults: false },
          ...{
            reusedIds: false,
            emptyMessages: false,
            unknownBlocks: false,
            assistantFirst: false,
            laterSystem: false,
          },
          [flaw]: true,
        },
      }),
      { numRuns: 500, seed: 5 },
    );
    const problems = conversations.flatMap((conversation) => validateWire(conversation)?.message ?? []);
    expect(problems.some((message) => /tool|call/i.test(message))).toBe(true);
  });
});

describe("the words of Anthropic's refusals", () => {
  const say = (messages: WireObject[], options = {}) =>
    validateWire({ format: "anthropic-messages", messages }, options)?.message;
  const user = { role: "user", content: "hi" };
  const call = { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "bash", input: {} }] };
  const result = { type: "tool_result", tool_use_id: "toolu_1", content: "done" };

  test.each<[string, WireObject[], string | undefined]>([
    ["a plain exchange", [user, call, { role: "user", content: [result] }], undefined],
    [
      "words behind the results",
      [user, call, { role: "user", content: [result, { type: "text", text: "go on" }] }],
      undefined,
    ],
    ["results and words in two messages", [user, call, { role: "user", content: [result] }, user], undefined],
    [
      "words before the results",
      [user, call, { role: "user", content: [{ type: "text", text: "here" }, result] }],
      "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
    ],
    [
      "an orphan",
      [{ role: "user", content: [result] }],
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "two results",
      [user, call, { role: "user", content: [result, result] }],
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: toolu_1",
    ],
    [
      "the assistant first",
      [{ role: "assistant", content: "hi" }, user],
      'messages: first message must use the "user" role',
    ],
    [
      "an empty text",
      [{ role: "user", content: [{ type: "text", text: "" }] }],
      "messages: text content blocks must be non-empty",
    ],
    [
      "an empty message",
      [{ role: "user", content: [] }, user],
      "messages.0: all messages must have non-empty content except for the optional final assistant message",
    ],
    ["a system turn", [user, { role: "system", content: "be brief" }], "role 'system' is not supported on this model"],
    ["an unknown field", [{ ...user, name: "Ada" }], "messages.0.name: Extra inputs are not permitted"],
    [
      "a forged thought",
      [user, { role: "assistant", content: [{ type: "thinking", thinking: "hm", signature: "AAAA" }] }, user],
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ],
    [
      "an id out of its alphabet",
      [user, { role: "assistant", content: [{ type: "tool_use", id: "a b", name: "bash", input: {} }] }],
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "an assistant at the end",
      [user, { role: "assistant", content: "well" }],
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
  ])("%s", (_name, messages, expected) => expect(say(messages)).toBe(expected));

  test("switches allow a system turn and a prefill", () => {
    expect(say([user, { role: "system", content: "be brief" }], { laterSystem: true })).toBeUndefined();
    expect(say([user, { role: "assistant", content: "well" }], { prefill: true })).toBeUndefined();
  });
});

describe("the words of OpenAI's refusals", () => {
  const { messages } = writeWire("openai-chat", draftFromPattern("uprru"));
  const [user, call, first, second, last] = messages as [WireObject, WireObject, WireObject, WireObject, WireObject];
  const say = (list: WireObject[]) => validateWire({ format: "openai-chat", messages: list })?.message;

  test.each<[string, WireObject[], RegExp | undefined]>([
    ["results in another order", [user, call, second, first, last], undefined],
    [
      "a missing result",
      [user, call, first, last],
      /^An assistant message with 'tool_calls' must be followed .*: call_1_1$/,
    ],
    ["a missing result at the end", [user, call, first], /did not have response messages: call_1_1$/],
    ["an orphan", [user, first], /^Invalid parameter: messages with role 'tool' must be a response to a preceeding/],
    [
      "a strange id",
      [user, call, first, { ...second, tool_call_id: "x" }],
      /^Invalid parameter: 'tool_call_id' of 'x' not found/,
    ],
    ["a result twice", [user, call, first, second, second], /^Invalid parameter: Duplicate value for 'tool_call_id'/],
    ["no content", [{ role: "user", content: null }], /^Invalid value for 'content': expected a string, got null/],
    [
      "an unknown field",
      [{ ...user, reasoning_content: "x" }],
      /^Unknown parameter: 'messages\[0\].reasoning_content'/,
    ],
    ["an unknown role", [{ role: "robot", content: "x" }], /^Invalid value: 'robot'. Supported values are: 'system', /],
  ])("chat: %s", (_name, list, expected) => {
    if (expected === undefined) expect(say(list)).toBeUndefined();
    else expect(say(list)).toMatch(expected);
  });

  const { messages: items } = writeWire("openai-responses", draftFromPattern("utr"));
  const sayItems = (list: WireObject[]) => validateWire({ format: "openai-responses", messages: list })?.message;

  test("responses: pairs and reasoning", () => {
    const [person, words, called, output] = items as [WireObject, WireObject, WireObject, WireObject];
    const thought = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "forged" };
    expect(sayItems([person, words, called, output])).toBeUndefined();
    expect(sayItems([person, words, called])).toBe("No tool output found for function call call_1_0.");
    expect(sayItems([person, words, output])).toBe(
      "No tool call found for function call output with call_id call_1_0.",
    );
    expect(sayItems([person, thought])).toMatch(/could not be verified/);
    expect(sayItems([{ ...person, hologram: 1 }])).toBe("Unknown parameter: 'input[0].hologram'.");
    expect(sayItems([{ type: "message", role: "assistant", content: [{ type: "input_text", text: "x" }] }])).toBe(
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    );
  });
});
