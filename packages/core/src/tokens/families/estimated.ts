import { type ChatRule, freeChoice, type TextRule, type TokenFamily, type ToolCallRule } from "./family.ts";
import { area, fixed, patches } from "./image-rules.ts";

// Families whose tables are not public, or not shipped here: o200k times what was measured against their own
// tokenizers or their recorded usage. Every figure has its source in docs/token-accounting.md.

const jsonCalls = (perCall: number): ToolCallRule => ({
  arguments: "text",
  perCall,
  perArgument: 0,
  oneCall: 0,
  severalCalls: 0,
  repeatsName: false,
});

/** With tools, Claude gets a prompt about them, of one length when it may call one and another when it must. */
const claudeChat = (mayCall: number, mustCall: number): ChatRule => {
  const forced = mustCall - mayCall;
  return {
    perMessage: 3,
    perName: 1,
    perRequest: 3,
    calls: { arguments: "values", perCall: 22, perArgument: 14, oneCall: 0, severalCalls: 0, repeatsName: false },
    perToolResult: 13,
    tools: {
      shownAs: "json",
      perTool: 10,
      perList: mayCall,
      choice: { none: 0, required: forced, named: forced, countsName: false },
    },
  };
};

const claudeText: TextRule = {
  latin: 1.25,
  ideographs: 1.5,
  otherScripts: 1.95,
  rareScripts: 3.5,
  digitsAlone: false,
};

const claude = {
  encoding: "o200k_base",
  text: claudeText,
  errorBound: 0.1,
  image: area(750, 1568, 1600),
} as const;

/** From Opus 4.7 on a new tokenizer spends more on Latin script and the same on others. */
const claudeNext = { ...claude, text: { ...claudeText, latin: 1.65 }, errorBound: 0.15 };

/** Most specific first. */
export const estimatedFamilies: readonly TokenFamily[] = [
  { ...claudeNext, name: "claude-4.7", models: /^claude-[a-z]+-4[-.]7(?!\d)/, chat: claudeChat(675, 804) },
  { ...claudeNext, name: "claude-4.8", models: /^claude-[a-z]+-4[-.]([89]|\d\d)(?!\d)/, chat: claudeChat(290, 410) },
  { ...claudeNext, name: "claude-5", models: /^claude-[a-z]+-[5-9](?!\d)/, chat: claudeChat(354, 474) },
  { ...claude, name: "claude-4.5", models: /^claude-[a-z]+-4[-.][56](?!\d)/, chat: claudeChat(497, 589) },
  { ...claude, name: "claude-4", models: /^claude-[a-z]+-4/, chat: claudeChat(313, 315) },
  { ...claude, name: "claude-haiku-3", models: /^claude-(3([-.]5)?-haiku|haiku-3)/, chat: claudeChat(264, 355) },
  { ...claude, name: "claude", models: /^claude/, chat: claudeChat(346, 313) },
  {
    name: "gemini",
    models: /^(gemini|gemma|learnlm)/,
    encoding: "o200k_base",
    text: { latin: 1.08, ideographs: 0.95, otherScripts: 1.02, rareScripts: 0.9, digitsAlone: true },
    errorBound: 0.1,
    chat: {
      perMessage: 4,
      perName: 1,
      perRequest: 3,
      calls: jsonCalls(8),
      perToolResult: 8,
      tools: { shownAs: "json", perTool: 10, perList: 8, choice: freeChoice },
    },
    image: fixed(258, 768, 384),
  },
  {
    name: "llama",
    models: /^(meta-)?(code)?llama/,
    encoding: "o200k_base",
    text: { latin: 1.05, ideographs: 1.05, otherScripts: 1.16, rareScripts: 3, digitsAlone: false },
    errorBound: 0.12,
    chat: {
      perMessage: 4,
      perName: 1,
      perRequest: 4,
      calls: jsonCalls(8),
      perToolResult: 4,
      tools: { shownAs: "json", perTool: 12, perList: 60, choice: freeChoice },
    },
    image: fixed(1600, 1120, 0),
  },
  {
    name: "mistral",
    models: /^(open-)?(mistral|mixtral|ministral|codestral|devstral|pixtral|magistral|voxtral)/,
    encoding: "o200k_base",
    text: { latin: 1.05, ideographs: 1.2, otherScripts: 1.15, rareScripts: 1.3, digitsAlone: true },
    errorBound: 0.1,
    chat: {
      perMessage: 3,
      perName: 1,
      perRequest: 2,
      calls: jsonCalls(12),
      perToolResult: 10,
      tools: { shownAs: "json", perTool: 12, perList: 4, choice: freeChoice },
    },
    image: patches(4, 1024),
  },
  {
    name: "qwen",
    models: /^(qwen|qwq|qvq)/,
    encoding: "o200k_base",
    text: { latin: 1.05, ideographs: 0.92, otherScripts: 1.35, rareScripts: 2.9, digitsAlone: true },
    errorBound: 0.13,
    chat: {
      perMessage: 5,
      perName: 1,
      perRequest: 3,
      calls: jsonCalls(14),
      perToolResult: 8,
      tools: { shownAs: "json", perTool: 12, perList: 120, choice: freeChoice },
    },
    image: patches(1.31, 16_384),
  },
  {
    name: "deepseek",
    models: /^deepseek/,
    encoding: "o200k_base",
    text: { latin: 1.05, ideographs: 0.88, otherScripts: 1.18, rareScripts: 1.7, digitsAlone: false },
    errorBound: 0.12,
    chat: {
      perMessage: 2,
      perName: 1,
      perRequest: 2,
      calls: jsonCalls(12),
      perToolResult: 6,
      tools: { shownAs: "json", perTool: 12, perList: 60, choice: freeChoice },
    },
    image: patches(1.31, 1536),
  },
];
