import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import type { WireObject } from "../wire-object.ts";
import { decodeItem } from "./decode-item.ts";
import { encodeItem } from "./encode-item.ts";
import { recognise } from "./recognise.ts";

/** OpenAI Responses input items: one item is one message, so one turn of the assistant is often several. */
export const openaiResponses: Format = {
  name: "openai-responses",
  traits: { alternates: false, leadingSystem: true, laterSystem: true, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeItem, options),
  unchanged: (wire, message) => decodesTo(decodeItem(wire as WireObject), message),
  encode: encodeItem,
};
