import type Anthropic from "@anthropic-ai/sdk";
import { tool as langchainTool } from "@langchain/core/tools";
import { tool as aiTool, jsonSchema } from "ai";
import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { foldSync } from "../fold/fold-sync.ts";
import { getCounter } from "../tokens/get-counter.ts";
import { readTools, type ToolsInput } from "./read-tools.ts";

const description = "Searches the catalogue of the library and says where a book stands, and whether it is on loan.";
const schema = {
  type: "object" as const,
  properties: Object.fromEntries(
    ["title", "author", "isbn", "shelf", "language"].map((name) => [
      name,
      { type: "string" as const, description: `The ${name} to look for; leave it out when it does not matter.` },
    ]),
  ),
  required: ["title"],
};
const zodSchema = z.object({
  title: z.string().describe(schema.properties.title!.description),
  author: z.string().optional().describe(schema.properties.author!.description),
  isbn: z.string().optional().describe(schema.properties.isbn!.description),
  shelf: z.string().optional().describe(schema.properties.shelf!.description),
  language: z.string().optional().describe(schema.properties.language!.description),
});
const name = "find_book";

const anthropic: Anthropic.Tool[] = [{ name, description, input_schema: schema }];
const chat: OpenAI.Chat.ChatCompletionTool[] = [
  { type: "function", function: { name, description, parameters: schema } },
];
const responses: OpenAI.Responses.Tool[] = [{ type: "function", name, description, parameters: schema, strict: false }];
const shapes: Record<string, ToolsInput> = {
  anthropic,
  "openai chat": chat,
  "openai responses": responses,
  "ai sdk record": { [name]: aiTool({ description, inputSchema: jsonSchema(schema) }) },
  "ai sdk record with zod": { [name]: aiTool({ description, inputSchema: zodSchema }) },
  "ai sdk provider": [{ type: "function", name, description, inputSchema: schema }],
  langchain: [langchainTool(() => "", { name, description, schema })],
  "langchain with zod": [langchainTool(() => "", { name, description, schema: zodSchema })],
  gemini: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
  mcp: [{ name, description, inputSchema: schema }],
  mastra: { anything: { id: name, description, inputSchema: zodSchema } },
};

describe("tools of every SDK", () => {
  const own = [{ name, description, schema }];
  const expected = getCounter("gpt-4o").countTools(own);

  it.each(Object.entries(shapes))("%s counts as much as our own shape", (label, tools) => {
    const key = label === "mastra" ? { [name]: (tools as Record<string, object>).anything! } : tools;
    expect(expected).toBeGreaterThan(100);
    expect(getCounter("gpt-4o").countTools(readTools(key))).toBe(expected);
    const messages = [{ role: "user", content: "hi" }];
    const bare = foldSync(messages, { model: "gpt-4o" }).tokens.before;
    expect(foldSync(messages, { model: "gpt-4o", tools: key }).tokens.before).toBe(bare + expected);
  });

  it("a tool of the provider's own is counted by its wire object", () => {
    const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 5 }];
    expect(getCounter("claude-sonnet-4-5").countTools(readTools(tools))).toBeGreaterThan(10);
  });

  it("our own list stays the same list", () => {
    expect(readTools(own)).toBe(own);
  });

  it.each([
    [[{ titel: "find" }], /tools\[0\] has titel/],
    [["find_book"], /tools\[0\] is "find_book"/],
    [[{ name, arguments: schema }], /parameters in "arguments"/],
    [[{ type: "function", function: {} }], /tools\[0\] has no name/],
    ["all", /tools must be a list or a record of tools, not "all"/],
    [{ find: { execute: () => 1 } }, /tools\.find has execute/],
    [[{ name, inputSchema: { _def: { typeName: "ZodObject" } } }], /pass the JSON Schema/],
  ])("refuses %j", (tools, message) => {
    const options = { model: "gpt-4o", tools: tools as ToolsInput };
    expect(() => foldSync([{ role: "user", content: "hi" }], options)).toThrow(
      expect.objectContaining({ code: "VALIDATION_ERROR", message: expect.stringMatching(message) }),
    );
  });
});
