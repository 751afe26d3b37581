import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import type { WireObject } from "../wire-object.ts";
import { decodeMessage, legacyCallsAfter } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { looksSame } from "./looks-same.ts";
import { recognise } from "./recognise.ts";

/** OpenAI Chat Completions messages, and what OpenAI-compatible servers add to them. */
export const openaiChat: Format = {
  name: "openai-chat",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => {
    const legacy = legacyCallsAfter(options?.after ?? []);
    return decodeList(wire, (message) => decodeMessage(message, legacy), options);
  },
  unchanged: (wire, message) =>
    looksSame(wire as WireObject, message) || decodesTo(decodeMessage(wire as WireObject, { calls: 0 }), message),
  encode: encodeMessage,
};
