import { formats, MidfoldError, type Part, type ToolChoice } from "@midfold/core";
import type { ChatCompletion } from "openai/resources/chat/completions";
import { compact, isJsonObject, type JsonObject, numberField, textField } from "../../neutral/json-object.ts";
import type { NeutralRequest, ReasoningRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import type { BodyAccess, Protocol, ReplyContext } from "../../neutral/protocol.ts";
import { proofOf } from "../../translate/call-proofs.ts";
import { describeHosted } from "../../translate/describe-part.ts";
import { argumentText } from "../../translate/parse-arguments.ts";
import { splitLeadingSystem } from "../../translate/place-system-turns.ts";
import { decodeErrorObject, decodeErrorWords } from "../decode-failure.ts";
import { decodeFunctions, decodeTools } from "../decode-tools.ts";
import { openaiAnswers } from "../openai-answers.ts";
import { cacheKeptMs } from "../openai-cache-kept.ts";
import { readBody, readMessages, readModel, readStops, unknownFields } from "../read-body.ts";
import { readEffort } from "../read-effort.ts";
import { encodeRequest } from "./encode-request.ts";
import { decodeFinish, encodeFinish } from "./finish.ts";
import { createStreamDecoder } from "./stream-decoder.ts";
import { createStreamEncoder } from "./stream-encoder.ts";
import { decodeUsage, encodeUsage } from "./usage.ts";

const preferred = "max_completion_tokens";
const older = "max_tokens";

const bodyAccess: BodyAccess = {
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
  toolsOf: (body) => (isJsonObject(body) ? [...decodeTools(body.tools), ...decodeFunctions(body.functions)] : []),
  toolChoiceOf: (body) => (isJsonObject(body) ? decodeToolChoice(body) : undefined),
  cacheKeptMs,
  maxOutputOf: (body) => (isJsonObject(body) ? (numberField(body[preferred]) ?? numberField(body[older])) : undefined),
  withMaxOutput: (body, tokens) => {
    if (!isJsonObject(body)) return body;
    // Servers know one of the two fields, so the one the client used stays.
    return numberField(body[preferred]) !== undefined ? { ...body, [preferred]: tokens } : { ...body, [older]: tokens };
  },
};

/** OpenAI Chat Completions, and the servers that imitate it. */
export const openaiChat: Protocol = {
  name: "openai-chat",
  format: formats["openai-chat"],
  idPrefix: "chatcmpl-",
  body: bodyAccess,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  createStreamDecoder,
  createStreamEncoder,
  ...openaiAnswers("messages"),
};

const known: ReadonlySet<string> = new Set([
  ...["model", "messages", "tools", "functions", "tool_choice", "function_call", "parallel_tool_calls", "max_tokens"],
  ...["max_completion_tokens", "temperature", "top_p", "top_k", "stop", "reasoning_effort", "reasoning", "stream"],
  ...["response_format", "stream_options", "user", "safety_identifier", "prompt_cache_key", "store"],
]);

function decodeRequest(raw: unknown): NeutralRequest {
  const body = readBody(raw);
  const [system, messages] = splitLeadingSystem(formats["openai-chat"].decode(readMessages(body)));
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

function decodeResponse(body: unknown): NeutralResponse {
  if (!isJsonObject(body)) throw notAnAnswer();
  if (body.error !== undefined && body.error !== null) throw decodeErrorObject(body);
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) throw notAnAnswer(body);
  if (isJsonObject(choice.error)) throw decodeErrorObject(choice);
  const parts = decodeParts(choice.message);
  const refused = parts.some((part) => part.type === "other" && part.kind === "refusal");
  const hasCalls = parts.some((part) => part.type === "tool-call");
  return compact({
    id: textField(body.id),
    model: textField(body.model),
    parts: parts.map(refusalAsText),
    finish: refused ? ("refusal" as const) : decodeFinish(choice.finish_reason, hasCalls, choice.stop_reason),
    stopSequence: textField(choice.stop_reason),
    usage: decodeUsage(body.usage),
    source: body,
  });
}

function notAnAnswer(body?: JsonObject): MidfoldError {
  // MiniMax and Baidu answer 200 and say inside what is wrong.
  const error = body === undefined ? undefined : decodeErrorWords(body);
  return error ?? new MidfoldError("UPSTREAM_BROKEN", "The upstream sent something that is not a chat completion.");
}

/** Answers are looser than requests: ids may be missing, and arguments may be anything. */
function decodeParts(message: Readonly<Record<string, unknown>>): readonly Part[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isJsonObject) : [];
  const complete = calls.map((call, index) => (typeof call.id === "string" ? call : { ...call, id: `call_${index}` }));
  const wire = { ...message, role: "assistant", tool_calls: complete.length === 0 ? undefined : complete };
  const parts = formats["openai-chat"].decode([wire], { onInvalid: "skip" })[0]?.parts ?? textOnly(message.content);
  if (!parts.some(({ type }) => type === "tool-call")) return parts;
  const proofs = new Map(complete.map((call) => [call.id, proofOf(call, String(call.id))]));
  return parts.flatMap((part): readonly Part[] => {
    if (part.type !== "tool-call") return [part];
    const proof = proofs.get(part.id);
    const call = part.custom === true ? part : { ...part, input: argumentText(part.input) };
    return proof === undefined ? [call] : [proof, call];
  });
}

function textOnly(content: unknown): Part[] {
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

function refusalAsText(part: Part): Part {
  if (part.type !== "other" || part.kind !== "refusal") return part;
  return { type: "text", text: typeof part.value === "string" ? part.value : "" };
}

function encodeResponse(response: NeutralResponse, reply: ReplyContext): ChatCompletion {
  const parts = response.parts.flatMap((part) => portable(part, reply));
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  const rest = parts.filter((part) => part.type !== "text");
  const joined: Part[] = text === "" ? rest : [...rest, { type: "text", text }];
  const message = formats["openai-chat"].encode({
    role: "assistant",
    parts: joined,
  }) as ChatCompletion.Choice["message"];
  return {
    id: reply.id,
    object: "chat.completion",
    created: reply.createdAt,
    model: reply.model,
    choices: [
      {
        index: 0,
        message: { ...message, content: text === "" ? null : text, refusal: null },
        logprobs: null,
        finish_reason: encodeFinish(response.finish),
      },
    ],
    usage: encodeUsage(response.usage ?? { inputTokens: reply.estimatedInputTokens, outputTokens: 0 }),
  };
}

/** Parts this protocol has a place for; tools that the provider ran are told in words. */
function portable(part: Part, reply: ReplyContext): Part[] {
  if (part.type === "other") return [];
  if (part.type === "reasoning" && reply.hideReasoning === true) return [];
  if ((part.type === "tool-call" || part.type === "tool-result") && part.hosted === true) {
    return [{ type: "text", text: describeHosted(part) }];
  }
  const { source: _, ...bare } = part;
  return [bare as Part];
}

function decodeToolChoice(body: JsonObject): ToolChoice | undefined {
  const choice = body.tool_choice ?? body.function_call;
  if (choice === "auto" || choice === "none" || choice === "required") return { type: choice };
  if (!isJsonObject(choice)) return undefined;
  if (choice.type === "allowed_tools") {
    const allowed = isJsonObject(choice.allowed_tools) ? choice.allowed_tools : choice;
    return { type: allowed.mode === "required" ? "required" : "auto" };
  }
  const named = choice.function ?? choice.custom ?? choice;
  const name = isJsonObject(named) ? textField(named.name) : undefined;
  return name === undefined ? undefined : { type: "tool", name };
}
