import { isJsonObject, numberField } from "../json-object.ts";
import type { BodyAccess } from "../protocol.ts";
import { decodeSystem } from "./decode-system.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { mendBody } from "./mend-body.ts";

export const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "messages",
    system: "system",
    maxOutput: ["max_tokens"],
  },
  messagesOf: (body) => (isJsonObject(body) && Array.isArray(body.messages) ? body.messages : []),
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, messages } : body),
  systemOf: (body) => (isJsonObject(body) ? decodeSystem(body.system) : []),
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body.tools) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body.tool_choice).toolChoice : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? numberField(body.max_tokens) : undefined),
  mend: mendBody,
  withMaxOutput: (body, tokens) => {
    if (!isJsonObject(body)) return body;
    const { thinking } = body;
    const budget = isJsonObject(thinking) ? numberField(thinking.budget_tokens) : undefined;
    if (budget === undefined || budget < tokens) return { ...body, max_tokens: tokens };
    // The API demands a budget of thoughts below the limit, and at least 1024; below that the thoughts are left out.
    const smaller = tokens - 1;
    const { thinking: _, ...rest } = body;
    const kept =
      smaller >= 1_024 && isJsonObject(thinking) ? { thinking: { ...thinking, budget_tokens: smaller } } : {};
    return { ...rest, ...kept, max_tokens: tokens };
  },
};
