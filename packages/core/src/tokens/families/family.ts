import type { EncodingName } from "../encoding/encoding.ts";
import type { ImageRule } from "../image-tokens.ts";

/** How one family of models counts. Code outside this folder reads these traits, never a model's name. */
export interface TokenFamily {
  readonly name: string;
  /** Which model ids belong to it; the vendor prefix (`openai/`, `us.anthropic.`) is already off. */
  readonly models: RegExp;
  /** The table that splits text as this family does, or comes nearest to it. */
  readonly encoding: EncodingName;
  /** How the family's counts differ from that table's; absent where it is the family's own. */
  readonly text?: TextRule;
  /** By how much of itself a count may be wrong before anything was learnt from the provider. */
  readonly errorBound: number;
  readonly chat: ChatRule;
  readonly image: ImageRule;
}

/** The family's tokens per token of the table, by kind of script. */
export interface TextRule {
  readonly latin: number;
  readonly ideographs: number;
  /** Cyrillic, Greek, Hebrew, Arabic. */
  readonly otherScripts: number;
  /** Scripts that many tables hardly know: Armenian, those of India and South-East Asia, Georgian, Ethiopic. */
  readonly rareScripts: number;
  /** Whether every digit is a token of its own, and not up to three together. */
  readonly digitsAlone: boolean;
}

/** What a chat format puts around text: tokens that no text part shows. */
export interface ChatRule {
  /** Role markers and separators of every message. */
  readonly perMessage: number;
  /** On top of the name's own tokens, when a message carries one. */
  readonly perName: number;
  /** Once per request: the primer of the reply. */
  readonly perRequest: number;
  readonly calls: ToolCallRule;
  /** On top of the content of a tool result. */
  readonly perToolResult: number;
  readonly tools: ToolListRule;
}

export interface ToolCallRule {
  /** What of the arguments is counted: the text as it is, as compact JSON, or the bare keys and values. */
  readonly arguments: "text" | "compact" | "values";
  readonly perCall: number;
  readonly perArgument: number;
  /** Once for a message with one call, or with several (which some formats wrap in a call of calls). */
  readonly oneCall: number;
  readonly severalCalls: number;
  /** Whether the name of a lone call is written a second time, with its result. */
  readonly repeatsName: boolean;
}

export interface ToolListRule {
  /** What the model is shown of a tool: its JSON schema, or a TypeScript signature made from it. */
  readonly shownAs: "json" | "typescript";
  readonly perTool: number;
  /** Once, when any tool is offered. */
  readonly perList: number;
  readonly choice: ToolChoiceRule;
}

/** What a tool choice other than `auto` costs on top of the list; less than nothing where it makes the prompt shorter. */
export interface ToolChoiceRule {
  readonly none: number;
  readonly required: number;
  /** One tool by its name, and whether that name is counted as well. */
  readonly named: number;
  readonly countsName: boolean;
}

export const freeChoice: ToolChoiceRule = { none: 0, required: 0, named: 0, countsName: false };
