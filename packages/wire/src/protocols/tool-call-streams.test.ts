import { describe, expect, it } from "vitest";
import { blocksOf, last, summary } from "./message-stream.test-data.ts";
import { chunk, translateChunks } from "./neutral.test-data.ts";

const call = (index: number | undefined, fields: { id?: string; name?: string; arguments?: unknown }) => ({
  ...(index === undefined ? {} : { index }),
  ...(fields.id === undefined ? {} : { id: fields.id }),
  function: {
    ...(fields.name === undefined ? {} : { name: fields.name }),
    ...(fields.arguments === undefined ? {} : { arguments: fields.arguments }),
  },
});
const calls = (...list: object[]) => chunk({ tool_calls: list });
const done = "[DONE]";

describe("B3.41 tool calls", () => {
  const cases: readonly (readonly [string, object[], [string, string, string][]])[] = [
    [
      "keyed by index, arguments in pieces",
      [
        calls(call(0, { id: "a", name: "f", arguments: "" })),
        calls(call(0, { arguments: '{"x"' })),
        calls(call(0, { arguments: ":1}" })),
      ],
      [["tool_use", "f", '{"x":1}']],
    ],
    [
      "without an index, known by id",
      [
        calls(call(undefined, { id: "a", name: "f", arguments: '{"x"' })),
        calls(call(undefined, { id: "a", arguments: ":1}" })),
      ],
      [["tool_use", "f", '{"x":1}']],
    ],
    [
      "a new id on an old index is a new call",
      [
        calls(call(0, { id: "a", name: "f", arguments: "{}" })),
        calls(call(0, { id: "b", name: "g", arguments: "{}" })),
      ],
      [
        ["tool_use", "f", "{}"],
        ["tool_use", "g", "{}"],
      ],
    ],
    [
      "a name repeated in every chunk",
      [calls(call(0, { id: "a", name: "fun", arguments: "{" })), calls(call(0, { name: "fun", arguments: "}" }))],
      [["tool_use", "fun", "{}"]],
    ],
    [
      "a name in pieces",
      [
        calls(call(0, { id: "a", name: "get_" })),
        calls(call(0, { name: "weather" })),
        calls(call(0, { arguments: "{}" })),
      ],
      [["tool_use", "get_weather", "{}"]],
    ],
    [
      "an id that comes late",
      [calls(call(0, { name: "f", arguments: '{"a"' })), calls(call(0, { id: "late", arguments: ":1}" }))],
      [["tool_use", "f", '{"a":1}']],
    ],
    [
      "two calls in one chunk",
      [calls(call(0, { id: "a", name: "f", arguments: "{}" }), call(1, { id: "b", name: "g", arguments: "{}" }))],
      [
        ["tool_use", "f", "{}"],
        ["tool_use", "g", "{}"],
      ],
    ],
    [
      "arguments of two calls interleaved",
      [
        calls(call(0, { id: "a", name: "f", arguments: '{"x"' })),
        calls(call(1, { id: "b", name: "g", arguments: '{"y"' })),
        calls(call(0, { arguments: ":1}" })),
        calls(call(1, { arguments: ":2}" })),
      ],
      [
        ["tool_use", "f", '{"x":1}'],
        ["tool_use", "g", '{"y":2}'],
      ],
    ],
    [
      "arguments before the name",
      [calls(call(0, { arguments: '{"x"' })), calls(call(0, { id: "a", name: "f", arguments: ":1}" }))],
      [["tool_use", "f", '{"x":1}']],
    ],
    [
      "arguments as an object",
      [calls(call(0, { id: "a", name: "f", arguments: { x: 1 } }))],
      [["tool_use", "f", '{"x":1}']],
    ],
    ["no arguments at all", [calls(call(0, { id: "a", name: "f" }))], [["tool_use", "f", ""]]],
    ["no id at all", [calls(call(0, { name: "f", arguments: "{}" }))], [["tool_use", "f", "{}"]]],
    [
      "the function call of the old API",
      [chunk({ function_call: { name: "f", arguments: "{" } }), chunk({ function_call: { arguments: "}" } })],
      [["tool_use", "f", "{}"]],
    ],
  ];
  it.each(cases)("%s", (_, chunks, expected) => {
    const frames = translateChunks([...chunks, chunk({}, "tool_calls"), done]);
    expect(summary(frames)).toEqual(expected);
    for (const block of blocksOf(frames)) expect(block.start.id).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(last(frames).delta?.stop_reason).toBe("tool_use");
  });
});
