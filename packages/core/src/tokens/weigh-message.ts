import type { Message } from "../message/message.ts";
import type { FilePart, Part } from "../message/part.ts";
import { countArguments } from "./count-arguments.ts";
import type { ChatRule } from "./families/family.ts";
import { type ImageRule, imageTokens } from "./image-tokens.ts";
import { toJsonText } from "./to-json-text.ts";

/** What a counter needs to turn a message into a number. */
export interface WeighRules {
  readonly count: (text: string) => number;
  readonly chat: ChatRule;
  readonly image: ImageRule;
}

/** The tokens of one message: its parts and what the chat format puts around them. */
export function weighMessage(message: Message, rules: WeighRules): number {
  const { chat, count } = rules;
  let tokens = chat.perMessage;
  let calls = 0;
  let nameTokens = 0;
  if (message.name !== undefined) tokens += chat.perName + count(message.name);
  for (const part of message.parts) {
    tokens += weighPart(part, rules);
    if (part.type !== "tool-call") continue;
    calls++;
    nameTokens = count(part.name);
  }
  if (calls === 1) tokens += chat.calls.oneCall + (chat.calls.repeatsName ? nameTokens : 0);
  else if (calls > 1) tokens += chat.calls.severalCalls;
  return tokens;
}

export function weighPart(part: Part, rules: WeighRules): number {
  const { chat, count } = rules;
  switch (part.type) {
    case "text":
      return count(part.text);
    case "reasoning":
      return count(part.text) + opaqueTokens(part.opaque);
    case "image":
      return imageTokens(part, rules.image);
    case "file":
      // Where its text is sent, its text is what it costs.
      return part.text === undefined ? count(describeFile(part)) : count(part.text) + count(part.name ?? "");
    case "tool-call":
      return chat.calls.perCall + count(part.name) + countArguments(part.input, rules);
    case "tool-result": {
      let tokens = chat.perToolResult;
      for (const inner of part.content) tokens += weighPart(inner, rules);
      return tokens;
    }
    case "other":
      return count(toJsonText(part.value));
  }
}

/** R1: a file that goes as a file counts by what describes it: name, type, size. */
export function describeFile(file: FilePart): string {
  const size = file.bytes ?? file.text?.length ?? (file.data === undefined ? undefined : base64Bytes(file.data));
  const facts = [file.name, file.mediaType, size === undefined ? undefined : `${size} bytes`];
  return facts.filter((fact) => fact !== undefined).join(" ");
}

const base64Bytes = (data: string) =>
  Math.floor((data.length * 3) / 4) - (data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0);

/** Encrypted reasoning is base64 over the provider's own text: about four thirds of its bytes, four bytes a token. */
const opaqueTokens = (opaque: string | undefined) => (opaque === undefined ? 0 : Math.ceil((opaque.length * 3) / 16));
