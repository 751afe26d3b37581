import { isSealedThought, signThought } from "../../generate/sign-thought.ts";
import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import type { RequestView } from "../protocol.ts";
import { betaFields, countFields, requestFields, toolFields } from "./known-fields.ts";
import { contentBlocks, validateMessages } from "./validate-messages.ts";

/** Everything the Messages API checks before the model sees a request, in its words. */
export function validateRequest(view: RequestView): Problem | undefined {
  const { body, options } = view;
  return firstProblem(
    () => validateHeaders(view),
    () => validateFields(view),
    () => (typeof body.model === "string" ? undefined : invalid("model: Field required")),
    () => validateMaxTokens(view),
    () => validateSampling(body),
    () => validateSystem(body),
    () => validateTools(view),
    () =>
      validateMessages(body, {
        laterSystem: options.laterSystem === true,
        prefill: options.prefill === true,
        strictFields: options.unknownFields !== "ignore",
      }),
    () => validateThinking(view),
    () => validateCacheControl(body),
  );
}

function validateHeaders({ headers, options }: RequestView): Problem | undefined {
  const bearer = /^Bearer (.+)$/.exec(asText(headers.authorization))?.[1];
  const key = asText(headers["x-api-key"]) || bearer;
  const refused = (message: string) => ({ status: 401, type: "authentication_error", message });
  if (key === undefined || key === "") return refused("x-api-key header is required");
  if (options.apiKey !== undefined && key !== options.apiKey) return refused("invalid x-api-key");
  if (headers["anthropic-version"] === undefined) return invalid("anthropic-version: header is required");
  return undefined;
}

function validateFields({ body, headers, purpose, options }: RequestView): Problem | undefined {
  if (options.unknownFields === "ignore") return undefined;
  const [extra] = unknownKeys(body, purpose === "count" ? countFields : requestFields);
  if (extra !== undefined) return invalid(`${extra}: Extra inputs are not permitted`);
  const betas = asText(headers["anthropic-beta"]);
  for (const [field, beta] of betaFields) {
    if (body[field] !== undefined && !betas.includes(beta)) return invalid(`${field}: Extra inputs are not permitted`);
  }
  return undefined;
}

function validateMaxTokens({ body, options, purpose }: RequestView): Problem | undefined {
  if (purpose === "count") return undefined;
  const limit = body.max_tokens;
  if (limit === undefined) return invalid("max_tokens: Field required");
  if (typeof limit !== "number" || !Number.isInteger(limit))
    return invalid("max_tokens: Input should be a valid integer");
  if (limit < 1) return invalid("max_tokens: Input should be greater than or equal to 1");
  if (options.maxOutput === undefined || limit <= options.maxOutput) return undefined;
  return invalid(
    `max_tokens: ${limit} > ${options.maxOutput}, which is the maximum allowed number of output tokens for ${asText(body.model)}`,
  );
}

function validateSampling(body: JsonObject): Problem | undefined {
  for (const field of ["temperature", "top_p"]) {
    const value = body[field];
    if (typeof value === "number" && (value < 0 || value > 1)) return invalid(`${field}: range: 0..1`);
  }
  return problemIn(asArray(body.stop_sequences), (stop, index) =>
    asText(stop).trim() === ""
      ? invalid(`stop_sequences: each stop sequence must contain non-whitespace (${index})`)
      : undefined,
  );
}

function validateSystem({ system }: JsonObject): Problem | undefined {
  if (system === undefined || typeof system === "string") return undefined;
  if (!Array.isArray(system)) return invalid("system: Input should be a valid list");
  return problemIn(system, (block, index) => {
    if (!isObject(block) || block.type !== "text") return invalid(`system.${index}.type: Input should be 'text'`);
    return asText(block.text) === "" ? invalid("system: text content blocks must be non-empty") : undefined;
  });
}

function validateTools({ body, options }: RequestView): Problem | undefined {
  const tools = asArray(body.tools);
  const names = new Set<string>();
  const problem = problemIn(tools, (tool, index) => {
    if (!isObject(tool)) return invalid(`tools.${index}: Input should be a valid dictionary`);
    const hosted = typeof tool.type === "string" && tool.type !== "custom";
    const name = asText(tool.name);
    if (names.has(name)) return invalid("tools: Tool names must be unique.");
    names.add(name);
    if (hosted) return undefined;
    const at = `tools.${index}.custom`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      return invalid(`${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    }
    if (!isObject(tool.input_schema)) return invalid(`${at}.input_schema: Field required`);
    if (tool.input_schema.type !== "object") return invalid(`${at}.input_schema.type: Input should be 'object'`);
    const [extra] = options.unknownFields === "ignore" ? [] : unknownKeys(tool, toolFields);
    return extra === undefined ? undefined : invalid(`${at}.${extra}: Extra inputs are not permitted`);
  });
  if (problem !== undefined) return problem;
  const choice = body.tool_choice;
  if (!isObject(choice)) return undefined;
  if (tools.length === 0 && choice.type !== "none")
    return invalid("tool_choice may only be specified while providing `tools`.");
  const missing = choice.type === "tool" && !names.has(asText(choice.name));
  return missing ? invalid(`Tool '${asText(choice.name)}' not found in provided tools`) : undefined;
}

function validateCacheControl(body: JsonObject): Problem | undefined {
  let marks = 0;
  JSON.stringify([body.tools, body.system, body.messages], (key, value) => {
    if (key === "cache_control" && value !== null) marks += 1;
    return value;
  });
  if (marks <= 4) return undefined;
  return invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

/** Reasoning must come back as it was sent: signed text unchanged, and not missing from a tool loop that is under way. */
function validateThinking({ body, memory, purpose }: RequestView): Problem | undefined {
  const messages = asArray(body.messages).filter(isObject);
  const forged = problemIn(messages, (message, index) =>
    problemIn(contentBlocks(message), (block, place) => checkSignature(block, `messages.${index}.content.${place}`)),
  );
  if (forged !== undefined) return forged;
  const thinking = isObject(body.thinking) ? body.thinking : {};
  if (thinking.type !== "enabled" && thinking.type !== "adaptive") return undefined;
  if (thinking.type === "enabled" && purpose !== "count") {
    const problem = checkBudget(thinking.budget_tokens, body.max_tokens);
    if (problem !== undefined) return problem;
  }
  return checkLoop(messages, memory.thoughtsByCall, thinking.type === "enabled");
}

function checkSignature(block: JsonObject, at: string): Problem | undefined {
  if (block.type === "thinking" && signThought(asText(block.thinking)) !== block.signature) {
    return invalid(`${at}: Invalid \`signature\` in \`thinking\` block`);
  }
  if (block.type === "redacted_thinking" && !isSealedThought(asText(block.data))) {
    return invalid(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
  return undefined;
}

function checkBudget(budget: unknown, maxTokens: unknown): Problem | undefined {
  if (typeof budget !== "number" || budget < 1_024) {
    return invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024");
  }
  if (typeof maxTokens === "number" && maxTokens > budget) return undefined;
  return invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
}

/** While results are being returned, the assistant message they answer must still carry the reasoning it came with. */
function checkLoop(
  messages: readonly JsonObject[],
  thoughtsByCall: ReadonlyMap<string, readonly string[]>,
  mustThink: boolean,
): Problem | undefined {
  const index = messages.findLastIndex((message) => message.role === "assistant");
  const latest = messages[index];
  if (latest === undefined) return undefined;
  const content = contentBlocks(latest);
  const calls = content.filter((block) => block.type === "tool_use");
  const [first] = content;
  const thinks = first?.type === "thinking" || first?.type === "redacted_thinking";
  const present = new Set(content.map((block) => asText(block.signature) || asText(block.data)));
  for (const call of calls) {
    const expected = thoughtsByCall.get(asText(call.id)) ?? [];
    if (!expected.every((mark) => present.has(mark))) {
      return invalid(
        `messages.${index}.content.0: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`,
      );
    }
  }
  if (!mustThink || calls.length === 0 || thinks) return undefined;
  return invalid(
    `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${asText(first?.type)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
