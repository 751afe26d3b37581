import { isJsonObject, numberField } from "../json-object.ts";
import type { BodyAccess } from "../protocol.ts";
import { decodeToolChoice, decodeTools } from "./decode-tools.ts";
import { hasCompactionTrigger, itemsOf, refusesCompactionTrigger } from "./items-of.ts";
import { storedResponses } from "./stored-responses.ts";

export const bodyAccess: BodyAccess = {
  fields: {
    model: "model",
    stream: "stream",
    tools: "tools",
    messages: "input",
    system: "instructions",
    maxOutput: ["max_output_tokens"],
  },
  messagesOf: itemsOf,
  withMessages: (body, messages) => (isJsonObject(body) ? { ...body, input: messages } : body),
  systemOf: (body) =>
    isJsonObject(body) && typeof body.instructions === "string" && body.instructions !== ""
      ? [{ role: "system", parts: [{ type: "text", text: body.instructions }] }]
      : [],
  toolsOf: (body) => (isJsonObject(body) ? decodeTools(body.tools) : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body.tool_choice) : undefined),
  maxOutputOf: (body) => (isJsonObject(body) ? numberField(body.max_output_tokens) : undefined),
  stored: storedResponses,
  compaction: {
    isAsked: (body) => hasCompactionTrigger(itemsOf(body)),
    isRefusedIn: refusesCompactionTrigger,
  },
  withMaxOutput: (body, tokens) => (isJsonObject(body) ? { ...body, max_output_tokens: tokens } : body),
};
