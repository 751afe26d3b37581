import type { EncodingName } from "../encoding/encoding.ts";
import type { ImageRule } from "../image-tokens.ts";

/** What one family of models adds around text: tokens that no text part shows. */
export interface ChatOverhead {
  /** Role markers and separators of every message. */
  readonly perMessage: number;
  /** On top of the name's own tokens, when a message carries one. */
  readonly perName: number;
  /** On top of the name and the arguments. */
  readonly perToolCall: number;
  /** On top of the content. */
  readonly perToolResult: number;
  /** On top of name, description and schema. */
  readonly perTool: number;
  /** Once, when any tool is offered. */
  readonly perToolList: number;
  /** Once per request: the primer of the reply. */
  readonly perRequest: number;
}

/** How one family of models counts. Code outside this folder reads these traits, never a model's name. */
export interface TokenFamily {
  readonly name: string;
  /** Which model ids belong to it; the vendor prefix (`openai/`, `us.anthropic.`) is already off. */
  readonly models: RegExp;
  /** The table that splits text as this family does, or comes nearest to it. */
  readonly encoding: EncodingName;
  /** Whether `encoding` is the family's own table. */
  readonly exact: boolean;
  /** The family's tokens per token of `encoding`; 1 where exact. */
  readonly ratio: number;
  readonly overhead: ChatOverhead;
  readonly image: ImageRule;
}
