import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import type { WireObject } from "../wire-object.ts";
import { decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { recognise } from "./recognise.ts";

/** Vercel AI SDK model messages, and UI messages, which have `parts` where model messages have `content`. */
export const aiSdk: Format = {
  name: "ai-sdk",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: true },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, message) => decodesTo(decodeMessage(wire as WireObject), message),
  encode: encodeMessage,
};
