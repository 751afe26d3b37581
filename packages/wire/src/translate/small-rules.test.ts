import type { Message, OtherPart, Part } from "@midfold/core";
import { describe, expect, it } from "vitest";
import type { NeutralTool } from "../neutral/neutral-request.ts";
import { proofOf, proofsIn, withoutProofs } from "./call-proofs.ts";
import { budgetOf, clampEffort, effortOf } from "./clamp-effort.ts";
import { describeFile, describeHosted, describeImage, describeOther } from "./describe-part.ts";
import { dropBeforeCompaction } from "./drop-before-compaction.ts";
import { fitName } from "./fit-name.ts";
import { fitSchema, strictSchema } from "./fit-schema.ts";
import { nameTools } from "./name-tools.ts";
import { argumentText, parseArguments } from "./parse-arguments.ts";
import { placeSystemTurns, splitLeadingSystem } from "./place-system-turns.ts";
import { openSummary, sealSummary } from "./sealed-summary.ts";
import { formatInstruction, systemText, systemTexts } from "./system-text.ts";
import { takePrefill } from "./take-prefill.ts";

const said = (role: Message["role"], ...texts: string[]): Message => ({
  role,
  parts: texts.map((text) => ({ type: "text", text })),
});
const other = (kind: string, value: unknown): OtherPart => ({ type: "other", kind, value }) as OtherPart;

describe("the effort of reasoning", () => {
  it.each([
    [{ effort: "high", budgetTokens: 1 } as const, "high"],
    [{}, "medium"],
    [{ budgetTokens: 0 }, "none"],
    [{ budgetTokens: -1 }, "none"],
    [{ budgetTokens: 1 }, "low"],
    [{ budgetTokens: 4_095 }, "low"],
    [{ budgetTokens: 4_096 }, "medium"],
    [{ budgetTokens: 16_383 }, "medium"],
    [{ budgetTokens: 16_384 }, "high"],
  ])("of %j is %s", (reasoning, effort) => {
    expect(effortOf(reasoning)).toBe(effort);
  });

  it("is the nearest that is taken, the weaker of two; thinking is never switched on by being switched off", () => {
    expect(clampEffort("low", ["low", "high"])).toBe("low");
    expect(clampEffort("max", ["low", "medium", "high"])).toBe("high");
    expect(clampEffort("minimal", ["low", "medium", "high"])).toBe("low");
    expect(clampEffort("medium", ["low", "high"])).toBe("low");
    expect(clampEffort("none", ["low", "high"])).toBeUndefined();
    expect(clampEffort("none", ["none", "high"])).toBe("none");
    expect(clampEffort("minimal", ["none", "high"])).toBe("high");
    expect(clampEffort("low", [])).toBeUndefined();
  });

  it("is worth a number of tokens that comes down to the same effort again", () => {
    expect(budgetOf("none")).toBe(0);
    expect(budgetOf("minimal")).toBe(1_024);
    for (const effort of ["none", "low", "medium", "high"] as const) {
      expect(effortOf({ budgetTokens: budgetOf(effort) })).toBe(effort);
    }
    expect(budgetOf("xhigh")).toBeGreaterThan(budgetOf("high"));
    expect(budgetOf("max")).toBeGreaterThan(budgetOf("xhigh"));
  });
});

describe("words for what the other protocol has no block for", () => {
  it.each([
    ["anything", "plain words", "plain words"],
    ["refusal", { refusal: "I will not." }, "I will not."],
    ["tool_reference", { tool_name: "read" }, "Tool read is now available."],
    ["tool_reference", {}, "Tool  is now available."],
    ["container_upload", { file_id: "f1" }, "[file uploaded: f1]"],
    ["container_upload", {}, "[file uploaded: ]"],
    ["search_result", { title: "T", source: "S", content: [{ text: "a" }, 7, { text: "b" }] }, "T\nS\na\n\nb"],
    ["search_result", { source: "S" }, "S"],
    ["document", { title: "T", source: { content: "words" } }, "T\nwords"],
    ["document", { source: { content: [{ text: "a" }, { type: "image" }, 7] } }, "a\n[image]"],
    ["document", { source: { content: 7 } }, undefined],
    ["document", { title: "T" }, undefined],
    ["web_search_call", { action: { query: "q" } }, "[web_search: q]"],
    ["web_search_call", { action: { url: "u" } }, "[web_search: u]"],
    ["file_search_call", { action: { pattern: "p" } }, "[file_search: p]"],
    ["code_interpreter_call", { code: "1+1" }, "[code_interpreter: 1+1]"],
    ["image_generation_call", {}, "[image_generation: ]"],
    ["mcp_call", { arguments: "{}", output: "done" }, "[mcp: {}]\ndone"],
    ["mcp_call", { action: 7 }, "[mcp: ]"],
    ["unknown", { text: "x" }, undefined],
    ["refusal", 7, undefined],
  ])("%s %j: %s", (kind, value, words) => {
    expect(describeOther(other(kind, value))).toBe(words);
  });

  it("a tool that another provider ran: what was asked and what came of it", () => {
    expect(describeHosted({ type: "tool-call", id: "c", name: "search", input: "{}" })).toBe("[search: {}]");
    const content = [
      { type: "text", text: "a" },
      { type: "image", url: "u" },
      other("result", { title: "T", url: "U", stdout: "", stderr: "E", error_code: "C", more: "x" }),
      other("result", 7),
      other("refusal", { refusal: "no" }),
    ] as never;
    expect(describeHosted({ type: "tool-result", callId: "c", name: "search", content })).toBe(
      "[search result: a\n[image]\nT U E C\nno]",
    );
    expect(describeHosted({ type: "tool-result", callId: "c", content: [] })).toBe("[tool result: ]");
    expect(describeHosted({ type: "text", text: "x" })).toBe("");
  });

  it("files and images", () => {
    const file = (more: object) => describeFile({ type: "file", ...more }).text;
    expect(file({ name: "a.txt", text: "words" })).toBe("a.txt\nwords");
    expect(file({ text: "words" })).toBe("words");
    expect(file({ name: "a.pdf", url: "u" })).toBe("[document: a.pdf u]");
    expect(file({ url: "u" })).toBe("[document: u]");
    expect(file({ name: "a.pdf", mediaType: "application/pdf" })).toBe("[document omitted: a.pdf]");
    expect(file({ mediaType: "application/pdf" })).toBe("[document omitted: application/pdf]");
    expect(file({})).toBe("[document omitted: file]");
    expect(describeImage({ type: "image" })).toEqual({ type: "text", text: "[image omitted]" });
    expect(describeImage({ type: "image", url: "u" }).text).toBe("[image omitted: u]");
  });
});

describe("a compaction", () => {
  const compaction = (value: unknown) => other("compaction", value);

  it("stands for everything before it: the last one counts, and what follows it stays", () => {
    const messages: Message[] = [
      said("user", "one"),
      { role: "assistant", parts: [compaction({ content: "first" }), { type: "text", text: "a" }] },
      said("user", "two"),
      { role: "assistant", parts: [compaction({ content: "second" }), { type: "text", text: "b" }] },
      said("user", "three"),
    ];
    expect(dropBeforeCompaction(messages)).toEqual([
      said("user", "second"),
      said("assistant", "b"),
      said("user", "three"),
    ]);
    expect(dropBeforeCompaction(messages.slice(0, 1))).toEqual(messages.slice(0, 1));
    expect(
      dropBeforeCompaction([said("user", "x"), { role: "assistant", parts: [compaction({ content: "s" })] }]),
    ).toEqual([said("user", "s")]);
    expect(dropBeforeCompaction([])).toEqual([]);
  });

  it("is opened where Midfold sealed it, and left where nobody can", () => {
    const sealed = sealSummary("Grüße");
    expect(sealed).toBe(`midfold.summary.${Buffer.from("Grüße").toString("base64url")}`);
    expect(openSummary(sealed)).toBe("Grüße");
    expect(openSummary("another provider's")).toBeUndefined();
    const of = (value: unknown): Message[] => [said("user", "x"), { role: "assistant", parts: [compaction(value)] }];
    expect(dropBeforeCompaction(of({ encrypted_content: sealed }))).toEqual([said("user", "Grüße")]);
    for (const value of [{ encrypted_content: "theirs" }, {}, 7]) {
      expect(dropBeforeCompaction(of(value))).toEqual(of(value));
    }
    const named: Message[] = [{ role: "assistant", parts: [other("else", { content: "no" })] }];
    expect(dropBeforeCompaction(named)).toEqual(named);
  });
});

describe("names", () => {
  const rule = { pattern: /^[a-z_0-9-]+$/, length: 20 };

  it("stay where they obey the rule; others get a readable start and a hash, always the same", () => {
    expect(fitName("read_file", rule)).toBe("read_file");
    expect(fitName("a".repeat(20), rule)).toBe("a".repeat(20));
    const fitted = fitName("a".repeat(21), rule);
    expect(fitted).toMatch(/^a{11}_[0-9a-f]{8}$/);
    expect(fitName("a".repeat(21), rule)).toBe(fitted);
    expect(fitName("a".repeat(22), rule)).not.toBe(fitted);
    expect(fitName("read.file", rule)).toMatch(/^read_file_[0-9a-f]{8}$/);
    expect(fitName("a.b.c", { pattern: /^[a-z]+$/, length: 9 })).toMatch(/^[0-9a-f]{9}$/);
    expect(fitName("a.b.c", { pattern: /^[a-z]+$/, length: 15 })).toMatch(/^[0-9a-f]{15}$/);
    expect(fitName("a.b.c", { pattern: /^[a-z]+$/, length: 16 })).toMatch(/^a_b_c_[0-9a-f]{8}$/);
  });

  it("of tools that are offered or were called; hosted ones have none", () => {
    const tool = (name: string, kind: NeutralTool["kind"]): NeutralTool => ({ name, kind });
    const call: Part = { type: "tool-call", id: "c", name: "old.tool", input: "{}" };
    const again: Part = { type: "tool-call", id: "d", name: "free.text", input: "{}" };
    const { toUpstream, toClient } = nameTools(
      [tool("read", "function"), tool("free.text", "custom"), tool("web_search", "hosted")],
      [{ role: "assistant", parts: [{ type: "text", text: "x" }, call, again] }],
      rule,
    );
    expect([...toUpstream.keys()]).toEqual(["read", "free.text", "old.tool"]);
    expect(toUpstream.get("read")).toBe("read");
    expect(toUpstream.get("old.tool")).toBe(fitName("old.tool", rule));
    expect(toClient.get("read")).toEqual({ name: "read", custom: false });
    expect(toClient.get(fitName("free.text", rule))).toEqual({ name: "free.text", custom: true });
    expect(toClient.size).toBe(2);
  });
});

describe("a tool's schema", () => {
  it("has a type, and is empty where there is none", () => {
    expect(fitSchema(undefined, "full")).toEqual({ type: "object", properties: {} });
    expect(fitSchema({ properties: {} }, "full")).toEqual({ type: "object", properties: {} });
    for (const schema of [{ type: "string" }, { $ref: "#/x" }, { anyOf: [] }]) {
      expect(fitSchema(schema, "full")).toBe(schema);
    }
  });

  it("is reduced where keywords are refused, but not the names of properties", () => {
    const schema = {
      $schema: "s",
      type: "object",
      additionalProperties: false,
      properties: {
        const: { const: 7, examples: [1] },
        format: { type: "string", format: "email" },
        when: { type: "string", format: "date-time" },
        list: { type: "array", items: [{ $id: "x", exclusiveMinimum: 1, type: "number" }] },
      },
      $defs: { examples: { $comment: "c", type: "null" } },
      definitions: { propertyNames: { patternProperties: {}, type: "null" } },
    };
    expect(fitSchema(schema, "reduced")).toEqual({
      type: "object",
      properties: {
        const: { enum: [7] },
        format: { type: "string" },
        when: { type: "string", format: "date-time" },
        list: { type: "array", items: [{ type: "number" }] },
      },
      $defs: { examples: { type: "null" } },
      definitions: { propertyNames: { type: "null" } },
    });
    expect(fitSchema(schema, "full")).toBe(schema);
  });

  it("is strict all the way down", () => {
    expect(
      strictSchema({
        type: "object",
        properties: { type: { type: "string" }, in: { type: "object", properties: { a: {} }, required: [] } },
        anyOf: [{ type: "object", properties: {} }, 7],
      }),
    ).toEqual({
      type: "object",
      properties: {
        type: { type: "string" },
        in: { type: "object", properties: { a: {} }, required: ["a"], additionalProperties: false },
      },
      anyOf: [{ type: "object", properties: {}, required: [], additionalProperties: false }, 7],
      required: ["type", "in"],
      additionalProperties: false,
    });
    expect(strictSchema({ type: "object" })).toEqual({ type: "object" });
    expect(strictSchema({ properties: { a: {} } })).toEqual({ properties: { a: {} } });
  });
});

describe("the arguments of a call", () => {
  it.each([
    ["", {}],
    ["  null ", {}],
    [' {"a":1} ', { a: 1 }],
    ['"{\\"a\\":1}"', { a: 1 }],
    ['Here: {"a":[1,{"b":"}"}]} and more }', { a: [1, { b: "}" }] }],
    ['{"a":"cut off', { a: "cut off" }],
    ['{"a":"\\"x\\\\', { a: '"x\\' }],
    ['{"a":"x\\', { a: "x" }],
    ['{"a":"C:\\\\', { a: "C:\\" }],
    ['{"a":"x\\u00e', { a: "x" }],
    ['{"a":"x\\u00e4', { a: "xä" }],
    ['{"a":[1,2', { a: [1, 2] }],
    ['{"a":1,', { a: 1 }],
    ['{"a":', { a: null }],
    [
      '{"a": True, "b": False, "c": None, "d": NaN, "e": -Infinity, "f": "None, True",}',
      { a: true, b: false, c: null, d: null, e: null, f: "None, True" },
    ],
    ["[1]", undefined],
    ["7", undefined],
    ["words", undefined],
    ['{"a" 1}', undefined],
  ])("%s", (text, parsed) => {
    expect(parseArguments(text)).toEqual(parsed);
  });

  it("as text are an object in any case, and untouched where they are one", () => {
    expect(argumentText(' {"a": 1} ')).toBe(' {"a": 1} ');
    expect(argumentText('{"a":1,')).toBe('{"a":1}');
    expect(argumentText("words")).toBe("{}");
    expect(argumentText("[1]")).toBe("{}");
    expect(argumentText("{broken")).toBe("{}");
  });
});

describe("system turns", () => {
  const messages = [said("user", "one"), said("system", "Be brief."), said("system"), said("user", "two")];

  it("stay where they are, as they are or as a reminder; empty ones go", () => {
    const kept = [messages[0], messages[1], messages[3]];
    expect(placeSystemTurns(messages, "system")).toEqual(kept);
    expect(placeSystemTurns(messages, "developer")).toEqual(kept);
    expect(placeSystemTurns(messages, "user")).toEqual([
      messages[0],
      said("user", "<system-reminder>\nBe brief.\n</system-reminder>"),
      messages[3],
    ]);
  });

  it("at the very start are the prompt", () => {
    const [system, rest] = splitLeadingSystem([said("system", "a"), said("system", "b"), ...messages]);
    expect([system, rest]).toEqual([[said("system", "a"), said("system", "b")], messages]);
    expect(splitLeadingSystem(messages)).toEqual([[], messages]);
    expect(splitLeadingSystem([said("system", "a")])).toEqual([[said("system", "a")], []]);
  });

  it("come to one text", () => {
    const prompt: Message[] = [said("system", "a", " ", "b"), said("system"), said("system", "c")];
    expect(systemTexts(prompt)).toEqual(["a", "b", "c"]);
    expect(systemText(prompt)).toBe("a\n\nb\n\nc");
    expect(systemText([{ role: "system", parts: [{ type: "image", url: "u" }] }])).toBe("");
  });

  it("ask for a format where the server cannot be made to keep to one", () => {
    expect(formatInstruction({ type: "text" })).toBeUndefined();
    expect(formatInstruction({ type: "json" })).toBe("Answer with one JSON object and nothing else.");
    expect(formatInstruction({ type: "json-schema", name: "n", schema: { a: 1 } })).toBe(
      'Answer with one JSON object and nothing else. It must match this JSON schema:\n{"a":1}',
    );
  });
});

describe("the start of an answer that the client wrote", () => {
  const user = said("user", "Go.");

  it("is the last text of a last assistant message, without white space at its end", () => {
    expect(takePrefill([user, said("assistant", "Once upon \n")])).toEqual({
      messages: [user, said("assistant", "Once upon")],
      prefill: "Once upon",
    });
    expect(takePrefill([user, said("assistant", "a", "b ")])).toEqual({
      messages: [user, said("assistant", "a", "b")],
      prefill: "b",
    });
  });

  it("is nothing where the user spoke last, a tool is called, or nothing is said", () => {
    expect(takePrefill([user])).toEqual({ messages: [user] });
    expect(takePrefill([])).toEqual({ messages: [] });
    const call: Message = {
      role: "assistant",
      parts: [
        { type: "tool-call", id: "c", name: "read", input: "{}" },
        { type: "text", text: "x" },
      ],
    };
    expect(takePrefill([user, call])).toEqual({ messages: [user, call] });
    const image: Message = { role: "assistant", parts: [{ type: "image", url: "u" }] };
    expect(takePrefill([user, image])).toEqual({ messages: [user, image] });
    expect(takePrefill([user, said("assistant", " \n")])).toEqual({ messages: [user] });
    expect(takePrefill([user, said("assistant", "a", " ")])).toEqual({ messages: [user, said("assistant", "a")] });
  });
});

describe("the proof of a call", () => {
  const extra = { google: { thought_signature: "s" } };
  const proof = proofOf({ extra_content: extra }, "c1")!;
  const message: Message = { role: "assistant", parts: [proof, { type: "text", text: "x" }] };

  it("travels sealed, is found again by the call, and is seen by nobody else", () => {
    expect(proof).toMatchObject({ type: "reasoning", text: "", opaque: expect.stringMatching(/^midfold\.call\./) });
    expect(proofsIn([said("user", "x"), message])).toEqual(new Map([["c1", extra]]));
    expect(withoutProofs(message)).toEqual(said("assistant", "x"));
    const plain: Message = { role: "assistant", parts: [{ type: "reasoning", text: "hm", opaque: "theirs" }] };
    expect(withoutProofs(plain)).toBe(plain);
    expect(proofsIn([plain]).size).toBe(0);
  });

  it("is none where there is nothing to prove or somebody changed it", () => {
    expect(proofOf({}, "c1")).toBeUndefined();
    expect(proofOf({ extra_content: "x" }, "c1")).toBeUndefined();
    const sealed = (value: unknown): Message => {
      const packed = Buffer.from(JSON.stringify(value)).toString("base64url");
      return { role: "assistant", parts: [{ type: "reasoning", text: "", opaque: `midfold.call.${packed}` }] };
    };
    for (const value of [[7, extra], ["c1", "x"], ["c1"]]) expect(proofsIn([sealed(value)]).size).toBe(0);
    const broken: Message = {
      role: "assistant",
      parts: [{ type: "reasoning", text: "", opaque: "midfold.call.e30x" }],
    };
    expect(proofsIn([broken, message]).size).toBe(1);
  });
});
