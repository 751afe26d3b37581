import { isJsonObject, numberField } from "../json-object.ts";
import type { BodyAccess } from "../protocol.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";

const preferred = "max_completion_tokens";
const older = "max_tokens";

export const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "messages",
    maxOutput: [preferred, older],
    streamUsage: "stream_options",
  },
  messagesOf: (body) => (isJsonObject(body) && Array.isArray(body.messages) ? body.messages : []),
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, messages } : body),
  systemOf: () => [],
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body) : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? (numberField(body[preferred]) ?? numberField(body[older])) : undefined),
  withMaxOutput: (body, tokens) => {
    if (!isJsonObject(body)) return body;
    // Servers know one of the two fields, so the one the client used stays.
    return numberField(body[preferred]) !== undefined ? { ...body, [preferred]: tokens } : { ...body, [older]: tokens };
  },
};
