import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMidfoldError } from "../errors/midfold-error.ts";
import type { Warning } from "../errors/warning.ts";
import type { Message } from "../message/message.ts";
import type { Part, ToolResultPart } from "../message/part.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { detectFormat } from "./detect-format.ts";
import type { FormatName } from "./format.ts";
import { formats } from "./formats.ts";
import { conversationOf, plainConversation, uiConversation } from "./generate-wire.test-data.ts";

const names = Object.keys(formats) as FormatName[];

function strip(message: Message): Message {
  const { source: _, ...rest } = message;
  return { ...rest, parts: message.parts.map(stripPart) };
}

function stripPart(part: Part): Part {
  const { source: _, ...rest } = part;
  const bare = rest as Part;
  if (bare.type !== "tool-result") return bare;
  return { ...bare, content: bare.content.map(stripPart) as ToolResultPart["content"] };
}

describe.each(names)("%s", (name) => {
  const format = formats[name];

  it("decodes each wire object to one message that keeps it as its source", () => {
    fc.assert(
      fc.property(conversationOf(name), (wire) => {
        const messages = format.decode(wire);
        expect(messages).toHaveLength(wire.length);
        for (const [index, message] of messages.entries()) expect(message.source).toBe(wire[index]);
      }),
    );
  });

  it("encodes an untouched message as the very object it came from", () => {
    fc.assert(
      fc.property(conversationOf(name), (wire) => {
        const before = structuredClone(wire);
        for (const message of format.decode(wire)) expect(format.encode(message)).toBe(message.source);
        expect(wire).toEqual(before);
      }),
    );
  });

  it("sends a part that no format knows as its text, without quotes around it", () => {
    const part: Part = { type: "other", kind: "note", value: 'He said "no".' };
    const [again] = format.decode([format.encode({ role: "user", parts: [part] })]);
    expect(again?.parts.map(stripPart)).toEqual([{ type: "text", text: 'He said "no".' }]);
  });

  it("says the same again when every source is gone", () => {
    fc.assert(
      fc.property(conversationOf(name), (wire) => {
        const bare = format.decode(wire).map(strip);
        const again = format.decode(bare.map((message) => format.encode(message))).map(strip);
        expect(again.map(({ id: _, name: __, pinned: ___, ...rest }) => rest)).toEqual(
          bare.map(({ id: _, name: __, pinned: ___, ...rest }) => rest),
        );
      }),
    );
  });

  it("keeps unknown fields of the message, and unchanged blocks, when one part changes", () => {
    fc.assert(
      fc.property(conversationOf(name), (wire) => {
        for (const message of format.decode(wire.map((item) => ({ ...(item as object), vendor_field: { a: [1] } })))) {
          const changed = { ...message, parts: message.parts.map((part, at) => (at === 0 ? stripPart(part) : part)) };
          expect(format.encode(changed)).toMatchObject({ vendor_field: { a: [1] } });
        }
      }),
    );
  });

  it("reads the pin from either spelling and strips nothing", () => {
    fc.assert(
      fc.property(conversationOf(name), fc.boolean(), (wire, short) => {
        const pin = short ? { pinned: true } : { midfold: { pinned: true } };
        for (const message of format.decode(wire.map((item) => ({ ...(item as object), ...pin })))) {
          expect(message.pinned).toBe(true);
          expect(format.encode(message)).toMatchObject(pin);
        }
      }),
    );
  });

  it("is the one detected for its own conversations", () => {
    fc.assert(
      fc.property(conversationOf(name), (wire) => {
        // Conversations of bare text fit every format; the generator's own blocks do not.
        fc.pre(format.detect(wire) > 0.5);
        expect(detectFormat(wire).name).toBe(name);
      }),
    );
  });

  it("never throws anything but INVALID_MESSAGE, and never when skipping", () => {
    const message = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withTypedArray: true }),
      fc.record(
        {
          role: fc.constantFrom("user", "assistant", "system", "tool", "function", "developer"),
          type: fc.constantFrom("message", "function_call", "shell_call_output", "tool_search_output", "reasoning"),
          content: fc.anything({ withBigInt: true }),
          parts: fc.anything(),
          tool_calls: fc.anything(),
          tool_call_id: fc.anything(),
          output: fc.anything(),
          call_id: fc.string(),
        },
        { requiredKeys: [] },
      ),
      fc.record({
        role: fc.constantFrom("user", "assistant", "tool"),
        content: fc.array(
          fc.record(
            {
              type: fc.constantFrom("text", "image", "file", "tool_use", "tool_result", "tool-result", "image_url"),
              text: fc.anything(),
              source: fc.anything(),
              id: fc.string(),
              name: fc.string(),
              input: fc.anything({ withBigInt: true }),
              content: fc.anything(),
              tool_use_id: fc.string(),
              toolCallId: fc.string(),
              output: fc.anything(),
              image: fc.anything(),
            },
            { requiredKeys: ["type"] },
          ),
        ),
      }),
    );
    fc.assert(
      fc.property(fc.array(message), (list) => {
        try {
          for (const decoded of format.decode(list)) format.encode(decoded);
        } catch (error) {
          if (!isMidfoldError(error, "INVALID_MESSAGE")) throw error;
        }
        try {
          detectFormat(list);
        } catch (error) {
          if (!isMidfoldError(error, "UNKNOWN_FORMAT")) throw error;
        }
        const warnings: Warning[] = [];
        const kept = format.decode(list, { onInvalid: "skip", warn: (warning) => warnings.push(warning) });
        expect(kept.length + warnings.length).toBe(list.length);
        for (const bare of kept.map(strip)) format.encode(bare);
      }),
      { numRuns: 500 },
    );
  });

  it("refuses by name what is no list, also when skipping", () => {
    fc.assert(
      fc.property(
        fc.anything().filter((value) => !Array.isArray(value)),
        (value) => {
          const list = value as unknown[];
          const message = expect.stringMatching(/^messages must be an array, not /);
          const refused = expect.objectContaining({ code: "INVALID_MESSAGE", message });
          expect(() => format.decode(list)).toThrow(refused);
          expect(() => format.decode(list, { onInvalid: "skip" })).toThrow(refused);
          expect(() => detectFormat(list)).toThrow(expect.objectContaining({ code: "UNKNOWN_FORMAT", message }));
          expect(format.detect(list)).toBe(0);
        },
      ),
    );
  });

  it("counts an answer that was made for an unanswered call as it counts what goes out", () => {
    const content = [{ type: "text", text: "[No result was recorded for this call.]" }] as const;
    const made: Message = { role: "tool", parts: [{ type: "tool-result", callId: "call_1", name: "bash", content }] };
    const counter = getCounter("gpt-4o");
    const [read] = format.decode([format.encode(made)]);
    expect(counter.countMessage(read!)).toBe(counter.countMessage(made));
  });

  it("names the position and the fault of a malformed message", () => {
    const wire = [...plainConversation, { role: "narrator", content: "once" }];
    expect(() => format.decode(wire)).toThrow(/^messages\[2\]: role must be .* not "narrator"\.$/);
    expect(() => format.decode([null as unknown])).toThrow("messages[0]: must be an object, not null.");
    const warnings: Warning[] = [];
    const kept = format.decode(wire, { onInvalid: "skip", warn: (warning) => warnings.push(warning) });
    expect(kept).toHaveLength(2);
    expect(warnings).toMatchObject([{ code: "invalid-message-skipped", details: { index: 2 } }]);
  });
});

describe("detectFormat", () => {
  it("takes plain text and nothing at all for OpenAI chat", () => {
    expect(detectFormat([]).name).toBe("openai-chat");
    expect(detectFormat(plainConversation).name).toBe("openai-chat");
  });

  it("obeys an explicit format", () => {
    expect(detectFormat(plainConversation, { format: "ai-sdk" }).name).toBe("ai-sdk");
    expect(() => detectFormat([], { format: "nonsense" as FormatName })).toThrow(/There is no format "nonsense"/);
  });

  it("says what it saw when nothing fits", () => {
    expect(() => detectFormat([{ speaker: "me", words: "hi" }])).toThrow(/an object with speaker, words/);
    expect(() => detectFormat("hello" as never)).toThrow(/must be an array, not "hello"/);
  });

  it("finds the one telling message near the end of a long list", () => {
    const filler = Array.from({ length: 5000 }, () => plainConversation).flat();
    const telling = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "f", input: {} }] };
    expect(detectFormat([...filler, telling]).name).toBe("anthropic-messages");
  });
});

describe("AI SDK UI messages", () => {
  it("are found out, decoded one by one, and leave as the very objects they came as", () => {
    fc.assert(
      fc.property(uiConversation, (wire) => {
        expect(detectFormat(wire).name).toBe("ai-sdk");
        const messages = formats["ai-sdk"].decode(wire);
        expect(messages).toHaveLength(wire.length);
        for (const [index, message] of messages.entries()) expect(formats["ai-sdk"].encode(message)).toBe(wire[index]);
      }),
    );
  });
});
