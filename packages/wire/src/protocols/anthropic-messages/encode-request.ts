import { formats, type Message, type Part } from "@midfold/core";
import type { NeutralRequest } from "../../neutral/neutral-request.ts";
import type { EncodedRequest, ToolNames } from "../../neutral/protocol.ts";
import type { UpstreamTraits } from "../../neutral/upstream-traits.ts";
import { budgetOf, clampEffort, effortOf } from "../../translate/clamp-effort.ts";
import { fitRequest } from "../../translate/fit-messages.ts";
import { hashText } from "../../translate/hash-text.ts";
import { prepareTools } from "../../translate/prepare-tools.ts";
import { formatInstruction, systemText } from "../../translate/system-text.ts";
import { takePrefill } from "../../translate/take-prefill.ts";
import { limitMarks } from "./mend-body.ts";

type Body = Record<string, unknown>;

const smallestBudget = 1_024;

export function encodeRequest(request: NeutralRequest, traits: UpstreamTraits): EncodedRequest {
  const fitted = fitRequest(request, traits, {
    reasoning: "signed",
    custom: false,
    toolMedia: true,
    errorFlag: true,
    audio: false,
  });
  const { names, drop } = fitted;
  // This API goes on where a last assistant message stops, without repeating it.
  const { messages } = takePrefill(takeTurns(fitted.messages));
  const body: Body = {
    model: request.model,
    max_tokens: Math.max(1, request.maxOutputTokens ?? traits.defaultMaxOutputTokens),
    messages: messages.map((message: Message) => formats["anthropic-messages"].encode(message)),
    stream: request.stream,
    // Without a mark nothing is cached here, and clients of other protocols have no way to set one.
    cache_control: { type: "ephemeral" },
  };
  encodeSystem(request, body);
  encodeTools(request, names, traits, body, drop);
  encodeThinking(request, traits, body);
  encodeSampling(request, traits, body, drop);
  if (request.user !== undefined) body.metadata = { user_id: hashText(request.user) };
  const stops = request.stop.filter((stop) => stop.trim() !== "");
  if (stops.length > 0) body.stop_sequences = stops;
  return {
    body: limitMarks(body),
    tools: names,
    localStops: request.stop.filter((stop) => stop.trim() === ""),
    dropped: fitted.dropped(),
    leftOut: fitted.leftOut,
  };
}

function encodeSystem(request: NeutralRequest, body: Body): void {
  const format = request.responseFormat;
  const instruction = format?.type === "json" ? formatInstruction(format) : undefined;
  const texts = [...request.system.map((message) => systemText([message])), instruction ?? ""].filter(Boolean);
  if (texts.length === 1) body.system = texts[0];
  else if (texts.length > 1) body.system = texts.map((text) => ({ type: "text", text }));
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
    name,
    ...(description === undefined ? {} : { description }),
    input_schema: schema,
    ...(strict === true ? { strict } : {}),
  }));
  const choice = encodeChoice(request, names);
  const serial = request.parallelToolCalls === false && choice?.type !== "none";
  if (serial) body.tool_choice = { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true };
  else if (choice !== undefined) body.tool_choice = choice;
}

function encodeChoice(request: NeutralRequest, names: ToolNames): { type: string; name?: string } | undefined {
  const choice = request.toolChoice;
  if (choice === undefined) return undefined;
  if (choice.type === "required") return { type: "any" };
  if (choice.type !== "tool") return { type: choice.type };
  const name = names.toUpstream.get(choice.name);
  return name === undefined || !names.toClient.has(name) ? undefined : { type: "tool", name };
}

function encodeThinking(request: NeutralRequest, traits: UpstreamTraits, body: Body): void {
  const config: Body = {};
  const format = request.responseFormat;
  if (format?.type === "json-schema") config.format = { type: "json_schema", schema: format.schema };
  const wanted = request.reasoning === undefined ? undefined : effortOf(request.reasoning);
  if (wanted === "none") body.thinking = { type: "disabled" };
  else if (wanted !== undefined && traits.thinking === "adaptive") {
    body.thinking = { type: "adaptive" };
    const effort = clampEffort(wanted, traits.efforts);
    if (effort !== undefined) config.effort = effort;
  } else if (wanted !== undefined) {
    const budget = request.reasoning?.budgetTokens ?? budgetOf(wanted);
    const budgetTokens = Math.min(Math.max(budget, smallestBudget), Number(body.max_tokens) - 1);
    if (budgetTokens >= smallestBudget) body.thinking = { type: "enabled", budget_tokens: budgetTokens };
  }
  if (Object.keys(config).length > 0) body.output_config = config;
}

/** A thinking model takes no sampling settings; the others take temperatures up to 1. */
function encodeSampling(
  request: NeutralRequest,
  traits: UpstreamTraits,
  body: Body,
  drop: (what: string) => void,
): void {
  const thinks = typeof body.thinking === "object" && (body.thinking as Body).type !== "disabled";
  for (const [field, value] of [
    ["temperature", request.temperature === undefined ? undefined : Math.min(1, Math.max(0, request.temperature))],
    ["top_p", request.topP],
    ["top_k", request.topK],
  ] as const) {
    if (value === undefined) continue;
    if (thinks || !traits.sampling) drop(field);
    else body[field] = value;
  }
}

/** What a conversation that starts with the assistant is answered to: the first turn has to be the user's. */
const opening: Message = { role: "user", parts: [{ type: "text", text: "(The conversation continues.)" }] };

/**
 * Makes user and assistant take turns: neighbours of one side are joined, all results of one exchange stand first in
 * the user turn that follows it, and the user begins. Names, which this protocol has no field for, lead the text.
 */
function takeTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  let open: { role: string; parts: Part[] } | undefined;
  for (const message of messages) {
    const role = message.role === "tool" ? "user" : message.role;
    const parts = named(message);
    if (open?.role === role && role !== "system") {
      open.parts.push(...parts);
      continue;
    }
    open = { role, parts: [...parts] };
    turns.push({ role, parts: open.parts });
  }
  const first = turns.findIndex((turn) => turn.role !== "system");
  if (turns[first]?.role === "assistant") turns.splice(first, 0, opening);
  return turns;
}

function named(message: Message): readonly Part[] {
  const { name, parts, role } = message;
  const at = parts.findIndex((part) => part.type === "text");
  const text = parts[at];
  if (name === undefined || role === "tool" || text?.type !== "text") return parts;
  return [...parts.slice(0, at), { type: "text", text: `${name}: ${text.text}` }, ...parts.slice(at + 1)];
}
