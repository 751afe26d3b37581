import { bindingSentences } from "../digest/rules.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { type ClipPartsOptions, clipParts } from "./clip-parts.ts";
import { namedBy } from "./named-by.ts";

export interface ClipMessageOptions extends Pick<ClipPartsOptions, "marker"> {
  /** What the user said to it: of an assistant's text, what the reply names stays. */
  readonly reply?: string | undefined;
}

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
  { reply, ...options }: ClipMessageOptions = {},
): Message {
  if (message.role === "user") return clipParts(message, toTokens, counter, { ...options, important: rulesIn });
  if (message.role !== "assistant" || reply === undefined) return clipParts(message, toTokens, counter, options);
  return clipParts(message, toTokens, counter, { ...options, important: named(reply), linesShare: namedShare });
}

/** What a reply names is what the next answer is about: it comes before the ends of the message. */
const namedShare = 0.5;

/** One function for one reply, by which `clipParts` knows that it is asked for the same clip again. */
function named(reply: string): (text: string) => string[] {
  if (newest?.reply !== reply) newest = { reply, lines: (text) => namedBy(reply, text) };
  return newest.lines;
}

let newest: { readonly reply: string; readonly lines: (text: string) => string[] } | undefined;

/** A pasted listing of megabytes is looked through at both ends, so that clipping it takes no time. */
const mostChars = 200_000;

export function rulesIn(text: string): string[] {
  if (text.length <= mostChars) return bindingSentences(text);
  return [text.slice(0, mostChars / 2), text.slice(-mostChars / 2)].flatMap((part) => bindingSentences(part));
}
