import type { Message } from "../message/message.ts";
import type { FilePart, Part } from "../message/part.ts";
import type { ChatOverhead } from "./families/family.ts";
import { type ImageRule, imageTokens } from "./image-tokens.ts";
import { toJsonText } from "./to-json-text.ts";

/** What a counter needs to turn a message into a number. */
export interface WeighRules {
  readonly count: (text: string) => number;
  readonly overhead: ChatOverhead;
  readonly image: ImageRule;
}

/** The tokens of one message: its parts and what the chat format puts around them. */
export function weighMessage(message: Message, rules: WeighRules): number {
  let tokens = rules.overhead.perMessage;
  if (message.name !== undefined) tokens += rules.overhead.perName + rules.count(message.name);
  for (const part of message.parts) tokens += weighPart(part, rules);
  return tokens;
}

export function weighPart(part: Part, rules: WeighRules): number {
  const { count, overhead } = rules;
  switch (part.type) {
    case "text":
      return count(part.text);
    case "reasoning":
      return count(part.text) + opaqueTokens(part.opaque);
    case "image":
      return imageTokens(part, rules.image);
    case "file":
      return count(describeFile(part));
    case "tool-call":
      return overhead.perToolCall + count(part.name) + count(part.input);
    case "tool-result": {
      let tokens = overhead.perToolResult;
      for (const inner of part.content) tokens += weighPart(inner, rules);
      return tokens;
    }
    case "other":
      return count(toJsonText(part.value));
  }
}

/** A file counts by what describes it (name, type, size), never by its content. */
export function describeFile(file: FilePart): string {
  const size = file.bytes ?? file.text?.length ?? (file.data === undefined ? undefined : base64Bytes(file.data));
  const facts = [file.name, file.mediaType, size === undefined ? undefined : `${size} bytes`];
  return facts.filter((fact) => fact !== undefined).join(" ");
}

const base64Bytes = (data: string) =>
  Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

/** Encrypted reasoning is base64 over the provider's own text: about four thirds of its bytes, four bytes a token. */
const opaqueTokens = (opaque: string | undefined) => (opaque === undefined ? 0 : Math.ceil((opaque.length * 3) / 16));
