import { decodeList, decodesTo } from "../decode-list.ts";
import type { Format } from "../format.ts";
import { scoreList } from "../score-list.ts";
import type { WireObject } from "../wire-object.ts";
import { decodeMessage } from "./decode-message.ts";
import { encodeMessage } from "./encode-message.ts";
import { recognise } from "./spelling.ts";

/**
 * LangChain messages: instances of `BaseMessage` and the three ways they are written down. A message that a fold makes
 * among instances is a plain `{ role, content }`, which LangChain's models take as a message; `@midfold/adapters/langchain`
 * turns those into instances too.
 */
export const langchain: Format = {
  name: "langchain",
  // ChatAnthropic and others refuse a system message that is not the first.
  traits: { alternates: false, leadingSystem: true, laterSystem: false, groupedResults: false },
  detect: (wire) => scoreList(wire, recognise),
  decode: (wire, options) => decodeList(wire, decodeMessage, options),
  unchanged: (wire, message) => decodesTo(decodeMessage(wire as WireObject), message),
  encode: encodeMessage,
};
