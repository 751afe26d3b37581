import { isSealedThought } from "../../generate/sign-thought.ts";
import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import { validateBearer } from "../openai-headers.ts";
import {
  checkFunctionName,
  emptyArray,
  longString,
  missing,
  notSupported,
  unknownParameter,
  wrongType,
} from "../openai-problems.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import type { Memory, RequestView } from "../protocol.ts";
import { inputParts, itemFields, itemTypes, messageRoles, outputParts, requestFields } from "./known-fields.ts";
import { inputItems, itemType, resolveItems } from "./resolve-items.ts";

/** Everything the Responses API checks before the model sees a request, in its words. */
export function validateRequest(view: RequestView): Problem | undefined {
  const { body, options } = view;
  const strictFields = options.unknownFields !== "ignore";
  return firstProblem(
    () => validateBearer(view),
    () => (strictFields ? unknownTopLevel(body) : undefined),
    () => (asText(body.model) === "" ? missing("model") : undefined),
    () => validateReference(view),
    () => validateTools(body),
    () => validateLimit(view),
    () => validateItems(body, strictFields),
    () => validatePairs(resolveItems(view), view.memory),
  );
}

function unknownTopLevel(body: JsonObject): Problem | undefined {
  const [extra] = unknownKeys(body, requestFields);
  return extra === undefined ? undefined : unknownParameter(extra);
}

function validateReference({ body, memory }: RequestView): Problem | undefined {
  const previous = body.previous_response_id;
  if (typeof previous === "string" && !memory.responses.has(previous)) {
    return invalid(`Previous response with id '${previous}' not found.`, {
      param: "previous_response_id",
      code: "previous_response_not_found",
    });
  }
  if (body.input !== undefined || typeof previous === "string" || body.prompt !== undefined) return undefined;
  return invalid("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.", {
    code: "missing_required_parameter",
  });
}

function validateTools({ tools }: JsonObject): Problem | undefined {
  if (tools === undefined || tools === null) return undefined;
  if (!Array.isArray(tools)) return wrongType("tools", "an array of objects", tools);
  return problemIn(asArray(tools), (tool, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool)) return wrongType(at, "an object", tool);
    if (tool.type === undefined) return missing(`${at}.type`);
    if (tool.type !== "function" && tool.type !== "custom") return undefined;
    return tool.name === undefined ? missing(`${at}.name`) : checkFunctionName(asText(tool.name), `${at}.name`);
  });
}

function validateLimit({ body, options }: RequestView): Problem | undefined {
  const limit = body.max_output_tokens;
  if (limit === undefined || limit === null)
    return Array.isArray(body.input) && body.input.length === 0 ? emptyArray("input") : undefined;
  if (typeof limit !== "number" || !Number.isInteger(limit)) return wrongType("max_output_tokens", "an integer", limit);
  if (limit < 16) {
    return invalid(
      `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got ${limit} instead.`,
      {
        param: "max_output_tokens",
        code: "integer_below_min_value",
      },
    );
  }
  if (options.maxOutput === undefined || limit <= options.maxOutput) return undefined;
  return invalid(
    `max_output_tokens is too large: ${limit}. This model supports at most ${options.maxOutput} output tokens, whereas you provided ${limit}.`,
    { param: "max_output_tokens", code: "invalid_value" },
  );
}

/** Each item by itself; calls, outputs and reasoning are matched elsewhere. */
function validateItems(body: JsonObject, strictFields: boolean): Problem | undefined {
  if (body.input !== undefined && typeof body.input !== "string" && !Array.isArray(body.input)) {
    return wrongType("input", "one of a string or array of objects", body.input);
  }
  if (Array.isArray(body.input) && body.input.length === 0 && body.previous_response_id === undefined)
    return emptyArray("input");
  return problemIn(inputItems(body), (item, index) => validateItem(item, `input[${index}]`, strictFields));
}

function validateItem(item: unknown, at: string, strictFields: boolean): Problem | undefined {
  if (!isObject(item)) return wrongType(at, "an object", item);
  const type = itemType(item);
  const known = itemTypes.get(type);
  if (known === undefined)
    return type === "" ? missing(`${at}.type`) : notSupported(`${at}.type`, type, [...itemTypes.keys()]);
  const fields = itemFields.get(type);
  const [extra] = strictFields && fields !== undefined ? unknownKeys(item, fields) : [];
  if (extra !== undefined) return unknownParameter(`${at}.${extra}`);
  if (known.id !== undefined && typeof item.id === "string" && !item.id.startsWith(known.id)) {
    return invalid(`Invalid '${at}.id': '${item.id}'. Expected an ID that begins with '${known.id}'.`, {
      param: `${at}.id`,
      code: "invalid_value",
    });
  }
  if (known.call === true || known.output === true) {
    const id = asText(item.call_id);
    if (id === "") return missing(`${at}.call_id`);
    if (id.length > 64) return longString(`${at}.call_id`, 64, id.length);
  }
  if (type === "function_call") return validateCall(item, at);
  if (known.output === true) return validateOutput(item, at);
  return type === "message" ? validateMessage(item, at) : undefined;
}

function validateCall(item: JsonObject, at: string): Problem | undefined {
  if (typeof item.arguments !== "string") return wrongType(`${at}.arguments`, "a string", item.arguments);
  return checkFunctionName(asText(item.name), `${at}.name`);
}

function validateOutput({ output }: JsonObject, at: string): Problem | undefined {
  if (output === undefined) return missing(`${at}.output`);
  if (typeof output === "string" || isObject(output)) return undefined;
  if (!Array.isArray(output)) return wrongType(`${at}.output`, "one of a string or array of objects", output);
  return problemIn(output, (part, place) => validatePart(part, `${at}.output[${place}]`, inputParts));
}

function validateMessage(item: JsonObject, at: string): Problem | undefined {
  const role = asText(item.role);
  if (!messageRoles.includes(role)) return notSupported(`${at}.role`, role, messageRoles);
  if (typeof item.content === "string") return undefined;
  if (!Array.isArray(item.content)) {
    return item.content === undefined
      ? missing(`${at}.content`)
      : wrongType(`${at}.content`, "one of a string or array of objects", item.content);
  }
  const allowed = role === "assistant" ? outputParts : inputParts;
  return problemIn(asArray(item.content), (part, place) => validatePart(part, `${at}.content[${place}]`, allowed));
}

function validatePart(part: unknown, at: string, allowed: readonly string[]): Problem | undefined {
  if (!isObject(part)) return wrongType(at, "an object", part);
  const type = asText(part.type);
  if (!allowed.includes(type)) return notSupported(at, type, allowed);
  const isText = type === "input_text" || type === "output_text";
  return isText && typeof part.text !== "string" ? wrongType(`${at}.text`, "a string", part.text) : undefined;
}

/** Every call has its output and every output its call, somewhere before it; reasoning stays with what it led to. */
function validatePairs(items: readonly JsonObject[], memory: Memory): Problem | undefined {
  return firstProblem(
    () => validateCalls(items),
    () => validateReasoning(items),
    () => validateLostReasoning(items, memory),
  );
}

function validateCalls(items: readonly JsonObject[]): Problem | undefined {
  const open = new Set<string>();
  const answered = new Set<string>();
  for (const item of items) {
    const { call, output } = itemTypes.get(itemType(item)) ?? {};
    const id = asText(item.call_id);
    if (call === true) {
      if (open.has(id) || answered.has(id))
        return invalid(`Duplicate call_id '${id}' found in input.`, { param: "input" });
      open.add(id);
    }
    if (output !== true) continue;
    if (answered.has(id)) return invalid(`Duplicate output found for call_id '${id}'.`, { param: "input" });
    if (!open.delete(id)) {
      return invalid(`No tool call found for ${callName(item)} output with call_id ${id}.`, { param: "input" });
    }
    answered.add(id);
  }
  const [first] = open;
  return first === undefined
    ? undefined
    : invalid(`No tool output found for function call ${first}.`, { param: "input" });
}

const callName = (item: JsonObject): string =>
  itemType(item) === "custom_tool_call_output" ? "custom tool call" : "function call";

function validateReasoning(items: readonly JsonObject[]): Problem | undefined {
  for (const [index, item] of items.entries()) {
    if (itemType(item) !== "reasoning") continue;
    const sealed = item.encrypted_content;
    if (typeof sealed !== "string") {
      return invalid(
        `Item with id '${asText(item.id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
        { param: "input" },
      );
    }
    if (!isSealedThought(sealed)) {
      return invalid(
        `The encrypted content ${sealed.slice(0, 4)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { code: "invalid_encrypted_content" },
      );
    }
    const next = items.slice(index + 1).find((later) => itemType(later) !== "reasoning");
    const follows = next !== undefined && (itemType(next) !== "message" || next.role === "assistant");
    const isOutput = next !== undefined && itemTypes.get(itemType(next))?.output === true;
    if (!follows || isOutput) {
      return invalid(
        `Item '${asText(item.id)}' of type 'reasoning' was provided without its required following item.`,
        {
          param: "input",
        },
      );
    }
  }
  return undefined;
}

/** A call that is sent back under its own id needs the reasoning that it came with. */
function validateLostReasoning(items: readonly JsonObject[], memory: Memory): Problem | undefined {
  const present = new Set(items.map((item) => asText(item.id)));
  for (const item of items) {
    if (itemType(item) !== "function_call" || typeof item.id !== "string") continue;
    const needed = memory.thoughtsByCall.get(asText(item.call_id)) ?? [];
    const lost = needed.find((id) => !present.has(id));
    if (lost !== undefined) {
      return invalid(
        `Item '${item.id}' of type 'function_call' was provided without its required 'reasoning' item: '${lost}'.`,
        { param: "input" },
      );
    }
  }
  return undefined;
}
