import { formats, type Message } from "@midfold/core";
import type { ChatCompletionCreateParams } from "openai/resources/chat/completions";
import type { NeutralRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import type { EncodedRequest, ToolNames } from "../../neutral/protocol.ts";
import type { UpstreamTraits } from "../../neutral/upstream-traits.ts";
import { proofsIn } from "../../translate/call-proofs.ts";
import { clampEffort, effortOf } from "../../translate/clamp-effort.ts";
import { fitRequest } from "../../translate/fit-messages.ts";
import { strictSchema } from "../../translate/fit-schema.ts";
import { hashText } from "../../translate/hash-text.ts";
import { prepareTools } from "../../translate/prepare-tools.ts";
import { formatInstruction, systemText } from "../../translate/system-text.ts";
import { takePrefill } from "../../translate/take-prefill.ts";

type Body = Record<string, unknown>;

export function encodeRequest(request: NeutralRequest, traits: UpstreamTraits): EncodedRequest {
  const fitted = fitRequest(request, traits, {
    reasoning:
      traits.reasoningField === "none" ? "none" : traits.reasoningField === "reasoning_details" ? "all" : "words",
    custom: false,
    toolMedia: traits.toolImages,
    errorFlag: false,
    audio: true,
  });
  const { names, drop } = fitted;
  const { messages, prefill } = takePrefill(fitted.messages);
  const proofs = traits.callProofs ? proofsIn(request.messages) : noProofs;
  const body: Body = {
    model: request.model,
    messages: [...encodeSystem(request, traits), ...messages.map((message) => encodeMessage(message, traits, proofs))],
    stream: request.stream,
  };
  if (traits.cacheMarks) markLastUser(body.messages as Body[]);
  encodeLimits(request, traits, body, drop);
  encodeTools(request, names, traits, body, drop);
  encodeWishes(request, traits, body);
  if (prefill !== undefined && traits.continuesPrefill) {
    Object.assign(body, { continue_final_message: true, add_generation_prompt: false });
  }
  return {
    body,
    tools: names,
    localStops: request.stop.slice(traits.maxStops),
    // An upstream that goes on where the client stopped does not repeat the start.
    ...(prefill === undefined || traits.continuesPrefill ? {} : { prefill }),
    dropped: fitted.dropped(),
    leftOut: fitted.leftOut,
  };
}

function encodeSystem(request: NeutralRequest, traits: UpstreamTraits): unknown[] {
  const format = request.responseFormat;
  const asWords = format !== undefined && (format.type === "json" || traits.responseFormat !== "json-schema");
  const instruction = asWords ? formatInstruction(format) : undefined;
  const text = [systemText(request.system), instruction ?? ""].filter((part) => part !== "").join("\n\n");
  if (text === "") return [];
  return [{ role: traits.systemRole, content: traits.cacheMarks ? [markedText(text)] : text }];
}

/** A text block with a cache mark: the upstream caches everything up to it. */
function markedText(text: string): Body {
  return { type: "text", text, cache_control: { type: "ephemeral" } };
}

function markLastUser(messages: Body[]): void {
  const last = messages.findLast((message) => message.role === "user");
  if (typeof last?.content === "string") last.content = [markedText(last.content)];
}

const noProofs: ReturnType<typeof proofsIn> = new Map();

function encodeMessage(message: Message, traits: UpstreamTraits, proofs: typeof noProofs): unknown {
  const wire: Body = { ...(formats["openai-chat"].encode(message) as Body) };
  if (message.role === "system") wire.role = traits.laterSystem;
  if (wire.content === null && !traits.nullContent) wire.content = "";
  if (traits.reasoningField === "reasoning" && wire.reasoning_content !== undefined) {
    wire.reasoning = wire.reasoning_content;
    delete wire.reasoning_content;
  }
  if (proofs.size > 0 && Array.isArray(wire.tool_calls)) {
    wire.tool_calls = (wire.tool_calls as Body[]).map((call) => {
      const proof = proofs.get(String(call.id));
      return proof === undefined ? call : { ...call, extra_content: proof };
    });
  }
  return wire;
}

function encodeLimits(request: NeutralRequest, traits: UpstreamTraits, body: Body, drop: (what: string) => void): void {
  if (request.maxOutputTokens !== undefined) body[traits.maxOutputField] = Math.max(1, request.maxOutputTokens);
  if (request.stop.length > 0 && traits.maxStops > 0) body.stop = request.stop.slice(0, traits.maxStops);
  for (const [field, value] of [
    ["temperature", request.temperature],
    ["top_p", request.topP],
  ] as const) {
    if (value === undefined) continue;
    if (traits.sampling) body[field] = value;
    else drop(field);
  }
  if (request.topK === undefined) return;
  if (traits.topK) body.top_k = request.topK;
  else drop("top_k");
}

function encodeTools(
  request: NeutralRequest,
  names: ToolNames,
  traits: UpstreamTraits,
  body: Body,
  drop: (what: string) => void,
): void {
  const tools = prepareTools(request, names, traits, drop);
  if (tools.length === 0) return;
  body.tools = tools.map(({ name, description, schema, strict }) => ({
    type: "function",
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      parameters: schema,
      ...(strict === true ? { strict } : {}),
    },
  }));
  const choice = request.toolChoice;
  if (choice?.type === "required") body.tool_choice = traits.requiredToolChoice ? "required" : "auto";
  else if (choice?.type === "tool") {
    const name = names.toUpstream.get(choice.name);
    if (name !== undefined && names.toClient.has(name)) body.tool_choice = { type: "function", function: { name } };
  } else if (choice !== undefined) body.tool_choice = choice.type;
  if (request.parallelToolCalls === undefined) return;
  if (traits.parallelToolCalls) body.parallel_tool_calls = request.parallelToolCalls;
  else drop("parallel_tool_calls");
}

function encodeWishes(request: NeutralRequest, traits: UpstreamTraits, body: Body): void {
  if (request.reasoning !== undefined && traits.effortField !== "none") {
    const effort = clampEffort(effortOf(request.reasoning), traits.efforts);
    if (effort !== undefined) body[traits.effortField] = traits.effortField === "reasoning" ? { effort } : effort;
  }
  const format = encodeFormat(request.responseFormat, traits);
  if (format !== undefined) body.response_format = format;
  if (request.stream && traits.streamUsage) body.stream_options = { include_usage: true };
  if (request.user !== undefined && traits.userField !== "none") body[traits.userField] = hashText(request.user);
  if (request.cacheKey !== undefined && traits.cacheKeyField !== "none") body[traits.cacheKeyField] = request.cacheKey;
}

function encodeFormat(
  format: ResponseFormat | undefined,
  traits: UpstreamTraits,
): ChatCompletionCreateParams["response_format"] {
  if (format === undefined || format.type === "text" || traits.responseFormat === "none") return undefined;
  if (format.type === "json" || traits.responseFormat === "json-object") return { type: "json_object" };
  const strict = format.strict === true;
  const schema = (strict ? strictSchema(format.schema) : format.schema) as Record<string, unknown>;
  return { type: "json_schema", json_schema: { name: format.name, schema, strict } };
}
