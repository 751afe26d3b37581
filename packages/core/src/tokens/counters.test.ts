import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextTracker } from "../budget/context-tracker.ts";
import { foldSync } from "../fold/fold-sync.ts";
import { formats } from "../formats/formats.ts";
import type { Message, ToolDefinition } from "../message/message.ts";
import { ApproximateCounter } from "./approximate-counter.ts";
import { CalibratedCounter } from "./calibration/calibrated-counter.ts";
import { findFamily } from "./families/find-family.ts";
import { FamilyCounter } from "./family-counter.ts";
import { getCounter } from "./get-counter.ts";
import { guardCounter } from "./guard-counter.ts";
import { TiktokenCounter } from "./tiktoken-counter.ts";
import type { ToolChoice } from "./tool-choice.ts";

const say = (text: string, role: Message["role"] = "user"): Message => ({ role, parts: [{ type: "text", text }] });

describe("getCounter", () => {
  it.each([
    ["gpt-4o", "o200k_base", true],
    ["gpt-4.1-mini-2025-04-14", "o200k_base", true],
    ["gpt-5.2", "o200k_base", true],
    ["o3", "o200k_base", true],
    ["gpt-oss-120b", "o200k_base", true],
    ["gpt-9-mega", "o200k_base", true],
    ["openai/gpt-4o-mini", "o200k_base", true],
    ["ft:gpt-4o-2024-08-06:acme::id", "o200k_base", true],
    ["gpt-4-turbo", "cl100k_base", true],
    ["azure/gpt-35-turbo", "cl100k_base", true],
    ["text-davinci-003", "p50k_base", true],
    ["davinci", "r50k_base", true],
    ["claude-sonnet-4-5-20250929", "claude-4.5", false],
    ["claude-opus-4-20250514", "claude-4", false],
    ["claude-opus-4-1", "claude-4", false],
    ["claude-sonnet-4.6", "claude-4.5", false],
    ["claude-3-5-haiku-20241022", "claude-haiku-3", false],
    ["claude-3-7-sonnet-latest", "claude", false],
    ["us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude", false],
    ["claude-opus-4-7", "claude-4.7", false],
    ["anthropic/claude-opus-4.8", "claude-4.8", false],
    ["claude-sonnet-5", "claude-5", false],
    ["models/gemini-2.5-pro", "gemini", false],
    ["meta-llama/Llama-3.3-70B-Instruct", "llama", false],
    ["mistralai/Mistral-Large", "mistral", false],
    ["Qwen/Qwen3-235B", "qwen", false],
    ["deepseek-ai/DeepSeek-V3", "deepseek", false],
    ["something-new", "approximate", false],
    ["", "approximate", false],
  ])("%s counts by %s", (model, name, exact) => {
    const counter = getCounter(model);
    expect(counter.name).toBe(name);
    expect(counter.exact).toBe(exact);
    expect(counter.count("Hello, world")).toBeGreaterThan(1);
  });

  it("shares one counter among all models of a family", () => {
    expect(getCounter("claude-3-opus")).toBe(getCounter("anthropic/claude-3-7-sonnet"));
  });
});

describe("TiktokenCounter", () => {
  it("takes a model, an encoding, an alias or nothing", () => {
    expect(new TiktokenCounter().encodingName).toBe("cl100k_base");
    expect(new TiktokenCounter("r50k_base").encodingName).toBe("r50k_base");
    expect(new TiktokenCounter("o200k_harmony").encodingName).toBe("o200k_base");
    expect(new TiktokenCounter("gpt2").encodingName).toBe("r50k_base");
    expect(new TiktokenCounter("gpt-4").encodingName).toBe("cl100k_base");
    expect(new TiktokenCounter("claude-3-opus").exact).toBe(false);
  });

  it("gives the ids of a text, special tokens as text", () => {
    expect(new TiktokenCounter("cl100k_base").encode("hello <|endoftext|>")).toEqual([
      15339, 83739, 8862, 728, 428, 91, 29,
    ]);
  });

  // From recorded usage of GPT-4.1: see docs/token-accounting.md.
  it("adds four tokens around a message and three to a request", () => {
    const counter = new TiktokenCounter("gpt-4.1");
    expect(counter.countMessage(say("Hello"))).toBe(5);
    expect(counter.countMessages([say("Hello"), say("Hello", "assistant")])).toBe(13);
  });

  it("prices one tool call and several at once as GPT-4.1 is billed", () => {
    const counter = new TiktokenCounter("gpt-4.1");
    const call = (id: string) => ({ type: "tool-call", id, name: "get_user", input: '{ "id": "x" }' }) as const;
    const name = counter.count("get_user");
    const args = counter.count('{"id":"x"}');
    const result: Message = { role: "tool", parts: [{ type: "tool-result", callId: "1", content: [] }] };
    const one = counter.countMessage({ role: "assistant", parts: [call("1")] }) + counter.countMessage(result);
    expect(one).toBe(13 + 2 * name + args);
    const three = counter.countMessage({ role: "assistant", parts: [call("1"), call("2"), call("3")] });
    expect(three + 3 * counter.countMessage(result)).toBe(27 + 3 * (7 + name + args));
  });

  it("shows tools as the models see them", () => {
    const counter = new TiktokenCounter("gpt-4.1");
    const tool: ToolDefinition = {
      name: "find",
      description: "Finds things.\nSlowly.",
      schema: {
        type: "object",
        properties: {
          query: { type: "string", title: "Query", description: "What to find" },
          limit: { type: "integer", default: 10 },
          kind: { enum: ["a", "b"] },
          nested: { type: "array", items: { type: "object", properties: { x: { anyOf: [{ type: "null" }, {}] } } } },
        },
        required: ["query"],
      },
    };
    const shown =
      '// Finds things.\n// Slowly.\ntype find = (_: {\n// Query\n// What to find\nquery: string,\nlimit?: number, // default: 10\nkind?: "a" | "b",\nnested?: {\nx?: null | any,\n}[],\n}) => any;\n\n';
    expect(counter.countTools([tool])).toBe(68 + counter.count(shown));
    expect(counter.countTools([])).toBe(0);
    expect(counter.countTools([{ name: "now" }])).toBe(68 + counter.count("type now = () => any;\n\n"));
    expect(counter.countTools([{ name: "web", source: { type: "web_search", size: "low" } }])).toBeGreaterThan(68);
  });
});

describe("tool choice", () => {
  const tools: ToolDefinition[] = [{ name: "find" }];
  const added = (model: string, choice: ToolChoice) =>
    getCounter(model).countTools(tools, choice) - getCounter(model).countTools(tools);

  // Anthropic, "Tool use": tokens of the prompt about tools, by model and choice.
  it.each([
    ["claude-sonnet-4-5", 497, 589],
    ["claude-opus-4-1", 313, 315],
    ["claude-opus-4-7", 675, 804],
    ["claude-opus-4-8", 290, 410],
    ["claude-sonnet-5", 354, 474],
    ["claude-3-7-sonnet", 346, 313],
    ["claude-3-5-haiku", 264, 355],
  ])("%s: %i tokens where it may call a tool, %i where it must", (model, may, must) => {
    expect(findFamily(model)?.chat.tools.perList).toBe(may);
    expect(added(model, { type: "auto" })).toBe(0);
    expect(added(model, { type: "none" })).toBe(0);
    expect(added(model, { type: "required" })).toBe(must - may);
    expect(added(model, { type: "tool", name: "find" })).toBe(must - may);
  });

  it("OpenAI: one token for none, four and the name for a named tool", () => {
    const name = "search_the_whole_archive";
    expect(added("gpt-4.1", { type: "auto" })).toBe(0);
    expect(added("gpt-4.1", { type: "required" })).toBe(0);
    expect(added("gpt-4.1", { type: "none" })).toBe(1);
    expect(added("gpt-4.1", { type: "tool", name })).toBe(4 + getCounter("gpt-4.1").count(name));
  });

  it("costs nothing without tools, and passes through counters around counters", () => {
    const forced: ToolChoice = { type: "required" };
    const counter = getCounter("claude-sonnet-4-5");
    expect(counter.countTools([], forced)).toBe(0);
    const expected = counter.countTools(tools, forced);
    expect(new CalibratedCounter(counter).countTools(tools, forced)).toBe(expected);
    expect(guardCounter(counter, () => undefined).countTools(tools, forced)).toBe(expected);
  });
});

describe("FamilyCounter", () => {
  it("counts Claude's tool arguments by their bare values, however they were escaped", () => {
    const counter = getCounter("claude-opus-4-5");
    const write = (content: string): Message => ({
      role: "assistant",
      parts: [{ type: "tool-call", id: "1", name: "write", input: JSON.stringify({ content }) }],
    });
    const code = 'const a = "x";\n\tconst b = "y";\n'.repeat(200);
    const inside = counter.countMessage(write(code)) - counter.countMessage(write(""));
    expect(inside / counter.count(code)).toBeCloseTo(1, 1);
  });

  it("counts every digit where the family does", () => {
    const digits = "8125550199".repeat(100);
    expect(getCounter("gemini-2.5-pro").count(digits)).toBeGreaterThanOrEqual(1000);
    expect(getCounter("deepseek-chat").count(digits)).toBeLessThan(400);
  });

  it("spends more on ideographs where the family does", () => {
    const chinese = "今天天气很好我们去公园散步".repeat(50);
    const o200k = getCounter("gpt-4o").count(chinese);
    expect(getCounter("claude-3-opus").count(chinese)).toBeGreaterThan(o200k * 1.4);
    expect(getCounter("qwen3").count(chinese)).toBeLessThan(o200k);
  });

  it("takes within its own count", () => {
    const text = fc.array(fc.constantFrom("word ", "12345678", "你好世界", "Привет ", "👍🏽", "\n"), { maxLength: 60 });
    for (const model of ["claude-3-opus", "gemini-2.5-pro", "qwen3", "deepseek-chat", "something-new"]) {
      const counter = getCounter(model);
      fc.assert(
        fc.property(text, fc.nat(60), (parts, maxTokens) => {
          const value = parts.join("");
          const start = counter.take(value, maxTokens);
          const end = counter.takeLast(value, maxTokens);
          expect(value.startsWith(start) && value.endsWith(end)).toBe(true);
          expect(counter.count(start)).toBeLessThanOrEqual(maxTokens);
          expect(counter.count(end)).toBeLessThanOrEqual(maxTokens);
        }),
        { numRuns: 200 },
      );
    }
  });

  it("knows a family of its own", () => {
    const family = findFamily("gpt-4o")!;
    const counter = new FamilyCounter({ ...family, name: "mine", chat: { ...family.chat, perMessage: 10 } });
    expect(counter.countMessage(say("Hello"))).toBe(11);
    expect(counter.exact).toBe(true);
  });
});

describe("ApproximateCounter", () => {
  it("is words × tokensPerWord or characters ÷ 4, whichever is more", () => {
    expect(new ApproximateCounter().tokensPerWord).toBe(1.3);
    expect(new ApproximateCounter().count("one two six ten")).toBe(6);
    expect(new ApproximateCounter({ tokensPerWord: 3 }).count("one two six ten")).toBe(12);
    expect(new ApproximateCounter().count("")).toBe(0);
  });

  it.each([
    ["JSON", JSON.stringify({ id: "550e8400-e29b-41d4-a716-446655440000", n: [1, 22, 333], ok: true }).repeat(20)],
    ["Chinese", "今天天气很好，我们决定去颐和园散步。门票三十元。".repeat(20)],
    ["Japanese", "昨日は東京タワーに行きました。とても楽しかったです。".repeat(20)],
    ["emoji", "👍🎉🚀😀".repeat(50)],
    ["Russian", "Вчера вечером мы долго обсуждали, стоит ли переезжать. ".repeat(20)],
    ["Thai", "สวัสดีชาวโลกวันนี้อากาศดีมาก".repeat(20)],
    ["code", "for (let i = 0; i < items.length; i++) { total += items[i].price; }\n".repeat(20)],
    ["English", "It was past midnight when the train finally pulled out of the station. ".repeat(20)],
    ["base64", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk".repeat(20)],
  ])("does not undercount %s, and does not double it", (_, text) => {
    const exact = getCounter("gpt-4o").count(text);
    const approximate = new ApproximateCounter().count(text);
    expect(approximate / exact).toBeGreaterThan(0.9);
    expect(approximate / exact).toBeLessThan(2);
  });
});

describe("every counter", () => {
  const odd: Message[] = [
    { role: "user", name: "ann", parts: [{ type: "text", text: "<|endoftext|> \ud800 \0 \ufeff\r\n" }] },
    { role: "user", parts: [{ type: "image", data: "not base64 at all!" }] },
    { role: "user", parts: [{ type: "image", width: -1, height: 0, url: "x" }] },
    { role: "assistant", parts: [{ type: "tool-call", id: "", name: "", input: "{broken" }] },
    { role: "assistant", parts: [{ type: "tool-call", id: "", name: "n", input: "[1,2]" }] },
    { role: "assistant", parts: [{ type: "reasoning", text: "hm", signature: "s", opaque: "A".repeat(400) }] },
    { role: "user", parts: [{ type: "other", kind: "x", value: cyclic() }] },
    { role: "user", parts: [{ type: "other", kind: "x", value: 10n }] },
    { role: "user", parts: [{ type: "other", kind: "x", value: undefined }] },
    { role: "user", parts: [] },
  ];

  it.each(["gpt-4o", "claude-opus-4-5", "gemini-2.5-pro", "nobody"])(
    "counts what is odd without throwing: %s",
    (model) => {
      const counter = getCounter(model);
      for (const message of odd) expect(counter.countMessage(message)).toBeGreaterThan(0);
      const sum = odd.reduce((total, message) => total + counter.countMessage(message), 0);
      expect(counter.countMessages(odd)).toBeGreaterThanOrEqual(sum);
      expect(counter.countTools([{ name: "t", schema: cyclic() }])).toBeGreaterThan(0);
    },
  );

  it("counts a file by its description, never by its content", () => {
    const counter = getCounter("gpt-4o");
    const file = (data: string): Message => ({
      role: "user",
      parts: [{ type: "file", name: "report.pdf", mediaType: "application/pdf", bytes: 48213, data }],
    });
    expect(counter.countMessage(file("A".repeat(1_000_000)))).toBe(
      4 + counter.count("report.pdf application/pdf 48213 bytes"),
    );
    expect(counter.countMessage(file("A".repeat(1_000_000)))).toBe(counter.countMessage(file("")));
  });

  it("counts nothing twice", () => {
    const counter = new TiktokenCounter("gpt-4o");
    const text = "A history that a client sends again and again, word for word, in every request it makes.";
    counter.countMessage(say(text));
    for (let request = 0; request < 5; request++) counter.countMessage(say(text));
    expect(counter.cacheStatistics()).toMatchObject({ hits: 5, misses: 1, entries: 1 });
    const message = say(text);
    counter.countMessage(message);
    counter.countMessage(message);
    expect(counter.cacheStatistics().hits).toBe(6);
  });
});

function cyclic(): unknown {
  const value: Record<string, unknown> = { name: "loop" };
  value.self = value;
  value.properties = { a: value };
  return value;
}

describe("ordinary messages", () => {
  const openai = [
    { role: "system", content: "You are terse." },
    { role: "user", content: [{ type: "text", text: "Read a.ts" }] },
    {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "1", type: "function", function: { name: "read_file", arguments: '{"path":"a.ts"}' } }],
    },
    { role: "tool", tool_call_id: "1", content: "export {}" },
  ];
  const anthropic = [
    { role: "user", content: "Read a.ts" },
    { role: "assistant", content: [{ type: "tool_use", id: "1", name: "read_file", input: { path: "a.ts" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "export {}" }] },
  ];
  const aiSdk = [
    { role: "user", content: [{ type: "text", text: "Read a.ts" }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "1", toolName: "read_file", input: { path: "a.ts" } }],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "1", toolName: "read_file", output: { type: "text", value: "export {}" } },
      ],
    },
  ];
  const ui = [
    { id: "m1", role: "user", parts: [{ type: "text", text: "Read a.ts" }] },
    {
      id: "m2",
      role: "assistant",
      parts: [
        { type: "step-start" },
        {
          type: "tool-read_file",
          toolCallId: "1",
          state: "output-available",
          input: { path: "a.ts" },
          output: "export {}",
        },
        { type: "text", text: "It is empty.", state: "done" },
      ],
    },
  ];
  const counters = [
    new TiktokenCounter("gpt-4o"),
    new ApproximateCounter(),
    getCounter("claude-sonnet-4-5"),
    getCounter("len/4"),
    new CalibratedCounter(getCounter("gpt-4o")),
    guardCounter(getCounter("gpt-4o"), () => {}),
  ];

  it.each([
    ["openai-chat", openai],
    ["anthropic-messages", anthropic],
    ["ai-sdk", aiSdk],
    ["ai-sdk", ui],
  ] as const)("every counter takes them as %s writes them, and counts what the engine counts", (format, list) => {
    const decoded = formats[format].decode(list as readonly unknown[]);
    expect(decoded).toHaveLength(list.length);
    for (const counter of counters) {
      const expected = counter.countMessages(decoded);
      const each = decoded.reduce((sum, message) => sum + counter.countMessage(message), 0);
      expect(each).toBeGreaterThan(0);
      expect(expected).toBe(counter.countMessages([]) + each);
      expect(counter.countMessages(list)).toBe(expected);
      const tracker = new ContextTracker("gpt-4o", { counter });
      tracker.update(list);
      expect(tracker.currentTokens).toBe(expected);
    }
  });

  it("one by one, beside Midfold's own, and after a change in place", () => {
    const counter = getCounter("gpt-4o");
    const own = formats["openai-chat"].decode(openai);
    expect(openai.map((message) => counter.countMessage(message))).toEqual(
      own.map((each) => counter.countMessage(each)),
    );
    expect(counter.countMessages([openai[0]!, ...own.slice(1)])).toBe(counter.countMessages(own));
    const changing = { role: "user", content: "short" };
    const before = counter.countMessage(changing);
    changing.content = "now it is longer than it was";
    expect(counter.countMessage(changing)).toBeGreaterThan(before);
    const tracker = new ContextTracker("gpt-4o");
    expect(tracker.addMessage({ role: "user", content: "hello" })).toBe(
      counter.countMessage({ role: "user", content: "hello" }),
    );
  });

  it("what is no message is refused in plain words", () => {
    expect(() => getCounter("gpt-4o").countMessages([{ hello: 1 }])).toThrow(/None of the 1 messages looks like/);
  });
});

it("tools are counted as they are now: added to, exchanged or changed in place", () => {
  const counter = getCounter("gpt-4o");
  const tool = (name: string, description = "Reads.") => ({ name, description, schema: { type: "object" } });
  const tools = [tool("one")];
  const one = counter.countTools(tools);
  tools.push(tool("two"));
  expect(counter.countTools(tools)).toBe(counter.countTools([tool("one"), tool("two")]));
  expect(counter.countTools(tools)).toBeGreaterThan(one);
  const long = tool("three", "Reads one file after the other and says what is in them. ".repeat(5));
  tools[1] = long;
  expect(counter.countTools(tools)).toBe(counter.countTools([tool("one"), { ...long }]));
  tools[0]!.description = "Something else entirely, and longer.";
  expect(counter.countTools(tools)).toBe(counter.countTools([tool("one", tools[0]!.description), { ...long }]));
  const chat = [{ role: "user", content: "Hi" }];
  const sdk = [{ type: "function", function: { name: "a", parameters: { type: "object" } } }];
  const sizes = () => foldSync(chat, { model: "gpt-4o", tools: sdk as never }).tokens.fixed;
  const before = sizes();
  sdk[0] = { type: "function", function: { name: "a_much_longer_name_than_before", parameters: { type: "object" } } };
  expect(sizes()).toBeGreaterThan(before);
});
