import { decodeList } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import { decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { recognise } from "./recognise.ts";

/** OpenAI Chat Completions messages, and what OpenAI-compatible servers add to them. */
export const openaiChat: Format = {
  name: "openai-chat",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => {
    const legacy = { calls: 0 };
    return decodeList(wire, (message) => decodeMessage(message, legacy), options);
  },
  encode: encodeMessage,
};
