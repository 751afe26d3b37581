import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import type { WireObject } from "../wire-object.ts";
import { decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { recognise } from "./recognise.ts";

/** Anthropic Messages: the `messages` array; the system prompt travels beside it. */
export const anthropicMessages: Format = {
  name: "anthropic-messages",
  traits: { alternates: true, leadingSystem: false, laterSystem: true, groupedResults: true },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, message) => decodesTo(decodeMessage(wire as WireObject), message),
  encode: encodeMessage,
};
