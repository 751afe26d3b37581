import type { Message, ToolDefinition } from "../message/message.ts";
import type { ToolChoice } from "./tool-choice.ts";

/**
 * Counts tokens the way one family of models does. `count` is the primitive; the other three add the overhead that the
 * family's chat format puts around text. A counter never throws: text it cannot handle is estimated on the safe side.
 */
export interface TokenCounter {
  /** Stable name of the counting rule, for logs and cache keys: `o200k_base`, `claude`, `approximate`. */
  readonly name: string;
  /** Whether `count` is what the provider itself would count. */
  readonly exact: boolean;
  /** The share by which the provider's own count may exceed this one; becomes part of the safety margin. */
  readonly errorBound?: number;
  /** Whether a message that was counted now will count the same for ever. Not so while counts are being learnt. */
  readonly steady?: boolean;
  count(text: string): number;
  /** One message, in any known shape: OpenAI's, Anthropic's, an AI SDK's, or Midfold's own. */
  countMessage(message: Message | object): number;
  /** The whole list with the reply primer; at least the sum of `countMessage`. */
  countMessages(messages: readonly (Message | object)[]): number;
  /** The tools of a request, and what its choice among them costs; nothing where there are no tools. */
  countTools(tools: readonly ToolDefinition[], choice?: ToolChoice): number;
  /** The longest start of `text` within `maxTokens`, cut between graphemes. */
  take(text: string, maxTokens: number): string;
  /** The longest end of `text` within `maxTokens`, cut between graphemes. */
  takeLast(text: string, maxTokens: number): string;
}
