import { formats } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { NeutralRequest, ReasoningRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import { splitLeadingSystem } from "../../translate/place-system-turns.ts";
import { decodeFunctions, decodeTools } from "../decode-tools.ts";
import { readBody, readList, readModel, readStops, unknownFields } from "../read-body.ts";
import { readEffort } from "../read-effort.ts";
import { decodeToolChoice } from "./decode-tool-choice.ts";

const known: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "functions", "tool_choice", "function_call", "parallel_tool_calls", "max_tokens"],
  ...["max_completion_tokens", "temperature", "top_p", "top_k", "stop", "reasoning_effort", "reasoning", "stream"],
  ...["response_format", "stream_options", "user", "safety_identifier", "prompt_cache_key", "store"],
]);

export function decodeRequest(raw: unknown): NeutralRequest {
  const body = readBody(raw);
  const [system, messages] = splitLeadingSystem(formats["openai-chat"].decode(readList(body, "messages")));
  return compact({
    model: readModel(body),
    system,
    messages,
    tools: [...decodeTools(body.tools), ...decodeFunctions(body.functions)],
    toolChoice: decodeToolChoice(body),
    parallelToolCalls: typeof body.parallel_tool_calls === "boolean" ? body.parallel_tool_calls : undefined,
    maxOutputTokens: numberField(body.max_completion_tokens) ?? numberField(body.max_tokens),
    temperature: numberField(body.temperature),
    topP: numberField(body.top_p),
    topK: numberField(body.top_k),
    stop: readStops(body.stop),
    reasoning: decodeReasoning(body),
    responseFormat: decodeFormat(body.response_format),
    stream: body.stream === true,
    includeUsage: isJsonObject(body.stream_options) && body.stream_options.include_usage === true,
    user: textField(body.safety_identifier) ?? textField(body.user),
    cacheKey: textField(body.prompt_cache_key),
    contextEdits: [],
    extra: unknownFields(body.n === 1 ? { ...body, n: undefined } : body, known),
    source: raw,
  });
}

function decodeReasoning(body: JsonObject): ReasoningRequest | undefined {
  const effort = readEffort(body.reasoning_effort);
  if (effort !== undefined) return { effort };
  if (!isJsonObject(body.reasoning)) return undefined;
  return compact({
    effort: readEffort(body.reasoning.effort),
    budgetTokens: numberField(body.reasoning.max_tokens),
    hidden: body.reasoning.exclude === true ? true : undefined,
  });
}

function decodeFormat(format: unknown): ResponseFormat | undefined {
  if (!isJsonObject(format)) return undefined;
  if (format.type === "json_object") return { type: "json" };
  if (format.type !== "json_schema" || !isJsonObject(format.json_schema)) return undefined;
  const { name, schema, strict } = format.json_schema;
  return { type: "json-schema", name: textField(name) ?? "response", schema, ...(strict === true ? { strict } : {}) };
}
