import { ChatCounter } from "./chat-counter.ts";
import { defaultFamily } from "./families/default-family.ts";
import { type ChatRule, freeChoice } from "./families/family.ts";

/** Nothing but text counts: no roles, no separators. */
const bare: ChatRule = {
  perMessage: 0,
  perName: 0,
  perRequest: 0,
  calls: { arguments: "text", perCall: 0, perArgument: 0, oneCall: 0, severalCalls: 0, repeatsName: false },
  perToolResult: 0,
  tools: { shownAs: "json", perTool: 0, perList: 0, choice: freeChoice },
};

/**
 * A text's length ÷ 4, rounded down, and nothing for what stands around it. Good enough to
 * decide when to compress English; code, JSON and Chinese it undercounts up to three times. `getCounter("len/4")`.
 */
export class LengthCounter extends ChatCounter {
  readonly name = "len/4";
  readonly exact = false;

  constructor() {
    super({ chat: bare, image: defaultFamily.image });
  }

  protected measure(text: string): number {
    return Math.floor(text.length / 4);
  }
}
