import { formats, type Message, type Part } from "@midfold/core";
import type { ResponseCreateParams } from "openai/resources/responses/responses";
import type { NeutralRequest, ResponseFormat } from "../../neutral/neutral-request.ts";
import type { EncodedRequest, ToolNames } from "../../neutral/protocol.ts";
import type { UpstreamTraits } from "../../neutral/upstream-traits.ts";
import { clampEffort, effortOf } from "../../translate/clamp-effort.ts";
import { fitRequest } from "../../translate/fit-messages.ts";
import { strictSchema } from "../../translate/fit-schema.ts";
import { hashText } from "../../translate/hash-text.ts";
import { type OfferedTool, prepareTools } from "../../translate/prepare-tools.ts";
import { formatInstruction, systemText } from "../../translate/system-text.ts";
import { takePrefill } from "../../translate/take-prefill.ts";

type Body = Record<string, unknown>;

/** The API refuses a smaller limit. */
const smallestOutput = 16;

export function encodeRequest(request: NeutralRequest, traits: UpstreamTraits): EncodedRequest {
  const fitted = fitRequest(request, traits, {
    reasoning: "sealed",
    custom: true,
    toolMedia: true,
    errorFlag: false,
    audio: false,
  });
  const { names, drop } = fitted;
  const { messages, prefill } = takePrefill(fitted.messages);
  const body: Body = {
    model: request.model,
    input: splitItems(messages).map((message) => encodeItem(message, traits)),
    stream: request.stream,
    store: false,
  };
  const format = request.responseFormat;
  const asWords = format?.type === "json" ? formatInstruction(format) : undefined;
  const instructions = [systemText(request.system), asWords ?? ""].filter((text) => text !== "").join("\n\n");
  if (instructions !== "") body.instructions = instructions;
  encodeTools(request, prepareTools(request, names, traits, drop), names, body);
  encodeWishes(request, traits, body, drop);
  return {
    body,
    tools: names,
    localStops: request.stop,
    ...(prefill === undefined ? {} : { prefill }),
    dropped: fitted.dropped(),
    leftOut: fitted.leftOut,
  };
}

function encodeItem(message: Message, traits: UpstreamTraits): unknown {
  const item = formats["openai-responses"].encode(message) as Body;
  return message.role === "system" ? { ...item, role: traits.laterSystem } : item;
}

function encodeTools(request: NeutralRequest, tools: readonly OfferedTool[], names: ToolNames, body: Body): void {
  if (tools.length === 0) return;
  body.tools = tools.map(({ name, description, schema, strict, custom }) => ({
    ...(custom ? { type: "custom", name } : { type: "function", name, parameters: schema, strict: strict === true }),
    ...(description === undefined ? {} : { description }),
  }));
  const choice = request.toolChoice;
  if (choice?.type === "tool") {
    const name = names.toUpstream.get(choice.name);
    const tool = name === undefined ? undefined : names.toClient.get(name);
    if (tool !== undefined) body.tool_choice = { type: tool.custom ? "custom" : "function", name };
  } else if (choice !== undefined) body.tool_choice = choice.type;
  if (request.parallelToolCalls !== undefined) body.parallel_tool_calls = request.parallelToolCalls;
}

function encodeWishes(request: NeutralRequest, traits: UpstreamTraits, body: Body, drop: (what: string) => void): void {
  if (request.maxOutputTokens !== undefined) body.max_output_tokens = Math.max(smallestOutput, request.maxOutputTokens);
  if (request.topK !== undefined) drop("top_k");
  for (const [field, value] of [
    ["temperature", request.temperature],
    ["top_p", request.topP],
  ] as const) {
    if (value === undefined) continue;
    if (traits.sampling) body[field] = value;
    else drop(field);
  }
  const effort = request.reasoning === undefined ? undefined : clampEffort(effortOf(request.reasoning), traits.efforts);
  if (effort !== undefined) {
    body.reasoning = effort === "none" ? { effort } : { effort, summary: "auto" };
    body.include = ["reasoning.encrypted_content"];
  }
  const format = encodeFormat(request.responseFormat);
  if (format !== undefined) body.text = { format };
  if (request.user !== undefined && traits.userField !== "none") body[traits.userField] = hashText(request.user);
  if (request.cacheKey !== undefined && traits.cacheKeyField !== "none") body[traits.cacheKeyField] = request.cacheKey;
}

function encodeFormat(format: ResponseFormat | undefined): NonNullable<ResponseCreateParams["text"]>["format"] {
  if (format === undefined || format.type === "text") return undefined;
  if (format.type === "json") return { type: "json_object" };
  const strict = format.strict === true;
  const schema = (strict ? strictSchema(format.schema) : format.schema) as Record<string, unknown>;
  return { type: "json_schema", name: format.name, schema, strict };
}

/** Spreads messages over items: every call, result and thought is an item of its own, the rest stays a message. */
function splitItems(messages: readonly Message[]): Message[] {
  const items: Message[] = [];
  for (const message of messages) {
    let said: Part[] = [];
    const flush = () => {
      if (said.length > 0) items.push({ ...message, parts: said });
      said = [];
    };
    for (const part of message.parts) {
      if (part.type !== "tool-call" && part.type !== "tool-result" && part.type !== "reasoning") {
        said.push(part);
        continue;
      }
      flush();
      items.push({ role: message.role, parts: [part] });
    }
    flush();
  }
  return items;
}
