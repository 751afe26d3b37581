import { bindingSentences } from "../digest/rules.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { type ClipPartsOptions, clipParts } from "./clip-parts.ts";

export type ClipMessageOptions = Pick<ClipPartsOptions, "marker">;

/**
 * The message within `toTokens`, or as near as it can come: large tool results give way first, failed ones late. What binds
 * in the user's words stays: a rule cut out of a long message would be lost for good. Results that are clipped on arrival
 * go by `clipParts`: what knows rules is a tenth of what `import { fold }` would load.
 *
 * @example const shorter = clipMessage(message, 500, getCounter("gpt-4o"));
 */
export function clipMessage(
  message: Message,
  toTokens: number,
  counter: TokenCounter,
  options: ClipMessageOptions = {},
): Message {
  return clipParts(message, toTokens, counter, { ...options, important: rulesIn });
}

/** A pasted listing of megabytes is looked through at both ends, so that clipping it takes no time. */
const mostChars = 200_000;

function rulesIn(text: string): string[] {
  if (text.length <= mostChars) return bindingSentences(text);
  return [text.slice(0, mostChars / 2), text.slice(-mostChars / 2)].flatMap((part) => bindingSentences(part));
}
