import { tiles } from "../image-tokens.ts";
import type { ChatRule, TokenFamily } from "./family.ts";

/** From recorded usage of GPT-4.1 (docs/token-accounting.md): right to the token for messages, calls and results. */
const chat: ChatRule = {
  perMessage: 4,
  perName: 1,
  perRequest: 3,
  calls: { arguments: "compact", perCall: 3, perArgument: 0, oneCall: 2, severalCalls: 23, repeatsName: true },
  perToolResult: 0,
  tools: {
    shownAs: "typescript",
    perTool: 0,
    perList: 68,
    choice: { none: 1, required: 0, named: 4, countsName: true },
  },
};

export const o200k = { encoding: "o200k_base", errorBound: 0.02, chat } as const;

/**
 * OpenAI's later models have all kept o200k_base: a new name is far likelier to be exact than not. Also the rules used
 * where a table is named without a model.
 */
export const defaultFamily: TokenFamily = {
  ...o200k,
  name: "gpt-next",
  models: /^(gpt-|o\d)/,
  image: tiles(85, 170),
};
