import { formats, type Message, MidfoldError } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { NeutralRequest, ReasoningRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import { splitLeadingSystem } from "../../translate/place-system-turns.ts";
import { decodeTools } from "../decode-tools.ts";
import { readBody, readModel, unknownFields } from "../read-body.ts";
import { readEffort } from "../read-effort.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";
import { itemsOf } from "./items-of.ts";
import { openThinking } from "./sealed-thinking.ts";

const known: ReadonlySet<string> = new Set([
  ...["model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "max_output_tokens", "text"],
  ...["temperature", "top_p", "reasoning", "stream", "stream_options", "user", "safety_identifier", "include"],
  ...["prompt_cache_key", "store", "previous_response_id", "truncation", "metadata", "client_metadata"],
]);

export function decodeRequest(raw: unknown): NeutralRequest {
  const body = readBody(raw);
  refuseState(body);
  const instructions = textField(body.instructions);
  const own: Message[] =
    instructions === undefined || instructions === ""
      ? []
      : [{ role: "system", parts: [{ type: "text", text: instructions }] }];
  const [leading, messages] = splitLeadingSystem(openThinking(formats["openai-responses"].decode(itemsOf(body))));
  return compact({
    model: readModel(body),
    system: [...own, ...leading],
    messages,
    tools: decodeTools(body.tools),
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : undefined,
    maxOutputTokens: numberField(body.max_output_tokens),
    temperature: numberField(body.temperature),
    topP: numberField(body.top_p),
    stop: [],
    reasoning: decodeReasoning(body.reasoning),
    responseFormat: decodeFormat(body.text),
    stream: body.stream === true,
    includeUsage: true,
    user: textField(body.safety_identifier) ?? textField(body.user),
    cacheKey: textField(body.prompt_cache_key),
    contextEdits: [],
    extra: unknownFields(body, known),
    source: raw,
  });
}

/** Another provider's upstream does not hold OpenAI's stored responses; clients then send the whole history. */
function refuseState(body: JsonObject): void {
  const previous = textField(body.previous_response_id);
  if (previous === undefined) return;
  throw new MidfoldError("VALIDATION_ERROR", `Previous response with id '${previous}' not found.`, {
    details: { code: "previous_response_not_found", param: "previous_response_id" },
  });
}

function decodeReasoning(reasoning: unknown): ReasoningRequest | undefined {
  if (!isJsonObject(reasoning)) return undefined;
  const effort = readEffort(reasoning.effort);
  return effort === undefined ? undefined : { effort };
}

function decodeFormat(text: unknown): ResponseFormat | undefined {
  const format = isJsonObject(text) ? text.format : undefined;
  if (!isJsonObject(format)) return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema") return undefined;
  const { name, schema, strict } = format;
  return { type: "json-schema", name: textField(name) ?? "response", schema, ...(strict === true ? { strict } : {}) };
}
