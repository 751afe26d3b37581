import { asArray, asText, isObject, type JsonObject, namesIn, unknownKeys } from "../json.ts";
import { validateBearer } from "../openai-headers.ts";
import {
  checkFunctionName,
  emptyArray,
  longArray,
  longString,
  missing,
  notSupported,
  unknownParameter,
  wrongType,
} from "../openai-problems.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import type { RequestView } from "../protocol.ts";

/** Everything Chat Completions checks before the model sees a request, in its words. */
export function validateRequest(view: RequestView): Problem | undefined {
  const { body, options } = view;
  return firstProblem(
    () => validateBearer(view),
    () => (options.unknownFields === "ignore" ? undefined : validateFields(body)),
    () => (asText(body.model) === "" ? invalid("you must provide a model parameter") : undefined),
    () => validateTools(body),
    () => validateLimits(view),
    () => validateMessages(body, options.unknownFields !== "ignore"),
    () => validatePairs(asArray(body.messages).filter(isObject)),
  );
}

function validateFields(body: JsonObject): Problem | undefined {
  const extra = unknownKeys(body, requestFields);
  if (extra.length === 0) return undefined;
  return invalid(`Unrecognized request argument${extra.length > 1 ? "s" : ""} supplied: ${extra.join(", ")}`);
}

function validateTools(body: JsonObject): Problem | undefined {
  if (body.tools === undefined) {
    if (body.tool_choice !== undefined && body.tool_choice !== "none" && body.functions === undefined) {
      return invalid("Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.", {
        param: "tool_choice",
      });
    }
    if (body.parallel_tool_calls === undefined) return undefined;
    return invalid(
      "Invalid value for 'parallel_tool_calls': 'parallel_tool_calls' is only allowed when 'tools' are specified.",
      {
        param: "parallel_tool_calls",
      },
    );
  }
  if (!Array.isArray(body.tools)) return wrongType("tools", "an array of objects", body.tools);
  if (body.tools.length === 0) return emptyArray("tools");
  if (body.tools.length > 128) return longArray("tools", 128, body.tools.length);
  return problemIn(body.tools, (tool, index) => {
    const at = `tools[${index}]`;
    if (!isObject(tool)) return wrongType(at, "an object", tool);
    if (tool.type !== "function" && tool.type !== "custom") {
      return tool.type === undefined
        ? missing(`${at}.type`)
        : notSupported(`${at}.type`, asText(tool.type), ["function", "custom"]);
    }
    const inner = tool[tool.type];
    if (!isObject(inner)) return missing(`${at}.${tool.type}`);
    return checkFunctionName(asText(inner.name), `${at}.${tool.type}.name`);
  });
}

function validateLimits({ body, options }: RequestView): Problem | undefined {
  for (const field of ["max_tokens", "max_completion_tokens"]) {
    const limit = body[field];
    if (limit === undefined || limit === null) continue;
    if (typeof limit !== "number" || !Number.isInteger(limit)) return wrongType(field, "an integer", limit);
    if (limit < 1) {
      return invalid(
        `Invalid '${field}': integer below minimum value. Expected a value >= 1, but got ${limit} instead.`,
        {
          param: field,
          code: "integer_below_min_value",
        },
      );
    }
    if (options.maxOutput !== undefined && limit > options.maxOutput) {
      return invalid(
        `${field} is too large: ${limit}. This model supports at most ${options.maxOutput} completion tokens, whereas you provided ${limit}.`,
        { param: field, code: "invalid_value" },
      );
    }
  }
  if (body.stream_options !== undefined && body.stream_options !== null && body.stream !== true) {
    return invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.", {
      param: "stream_options",
    });
  }
  if (Array.isArray(body.stop) && body.stop.length > 4) return longArray("stop", 4, body.stop.length);
  const { temperature } = body;
  if (typeof temperature !== "number" || temperature <= 2) return undefined;
  return invalid(
    `Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got ${temperature} instead.`,
    {
      param: "temperature",
      code: "decimal_above_max_value",
    },
  );
}

/** Each message by itself; calls and results are paired elsewhere. */
function validateMessages(body: JsonObject, strictFields: boolean): Problem | undefined {
  if (body.messages === undefined) return missing("messages");
  if (!Array.isArray(body.messages)) return wrongType("messages", "an array of objects", body.messages);
  if (body.messages.length === 0) return emptyArray("messages");
  return problemIn(body.messages, (message, index) => validateMessage(message, `messages[${index}]`, strictFields));
}

function validateMessage(message: unknown, at: string, strictFields: boolean): Problem | undefined {
  if (!isObject(message)) return wrongType(at, "an object", message);
  if (message.role === undefined) return missing(`${at}.role`);
  const role = asText(message.role);
  const known = messageFields.get(role);
  if (known === undefined) {
    return notSupported(`${at}.role`, role, ["system", "assistant", "user", "function", "tool", "developer"]);
  }
  const [extra] = strictFields ? unknownKeys(message, known) : [];
  if (extra !== undefined) return unknownParameter(`${at}.${extra}`);
  if (role === "tool" && asText(message.tool_call_id) === "") {
    return invalid("Missing parameter 'tool_call_id': messages with role 'tool' must have a 'tool_call_id'.", {
      param: `${at}.tool_call_id`,
    });
  }
  return validateContent(message, at, role) ?? validateCalls(message, at);
}

function validateContent(message: JsonObject, at: string, role: string): Problem | undefined {
  const { content } = message;
  if (content === null || content === undefined) {
    const mayBeAbsent =
      role === "assistant" && (message.tool_calls !== undefined || message.function_call !== undefined);
    if (mayBeAbsent || (role === "assistant" && typeof message.refusal === "string")) return undefined;
    return invalid(`Invalid value for 'content': expected a string, got null.`, { param: `${at}.content` });
  }
  if (typeof content === "string") return undefined;
  if (!Array.isArray(content)) return wrongType(`${at}.content`, "one of a string or array of objects", content);
  if (content.length === 0) return emptyArray(`${at}.content`);
  const allowed = partTypes.get(role) ?? [];
  return problemIn(content, (part, place) => {
    const where = `${at}.content[${place}]`;
    if (!isObject(part)) return wrongType(where, "an object", part);
    const type = asText(part.type);
    if (type === "image_url" && role !== "user") {
      return invalid(
        `Invalid '${at}'. Image URLs are only allowed for messages with role 'user', but this message with role '${role}' contains an image URL.`,
        { param: at, code: "invalid_value" },
      );
    }
    if (!allowed.includes(type)) return notSupported(`${where}.type`, type, allowed);
    if (type === "text" && typeof part.text !== "string") return wrongType(`${where}.text`, "a string", part.text);
    return type === "image_url" ? validateImage(part.image_url, `${where}.image_url`) : undefined;
  });
}

function validateImage(image: unknown, at: string): Problem | undefined {
  const url = isObject(image) ? asText(image.url) : "";
  if (url === "") return missing(`${at}.url`);
  if (/^https?:\/\//.test(url)) return undefined;
  if (!url.startsWith("data:")) {
    return invalid(
      `Invalid '${at}.url'. Expected a base64-encoded data URL with an image MIME type (e.g. 'data:image/png;base64,aW1nIGJ5dGVzIGhlcmU='), but got a value without the 'data:' prefix.`,
      {
        param: `${at}.url`,
        code: "invalid_value",
      },
    );
  }
  if (/^data:image\/(png|jpe?g|gif|webp);base64,/.test(url)) return undefined;
  return invalid(
    "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    {
      param: at,
      code: "invalid_image_format",
    },
  );
}

function validateCalls(message: JsonObject, at: string): Problem | undefined {
  if (message.tool_calls === undefined || message.tool_calls === null) return undefined;
  if (!Array.isArray(message.tool_calls))
    return wrongType(`${at}.tool_calls`, "an array of objects", message.tool_calls);
  if (message.tool_calls.length === 0) return emptyArray(`${at}.tool_calls`);
  return problemIn(asArray(message.tool_calls), (call, place) => {
    const where = `${at}.tool_calls[${place}]`;
    if (!isObject(call)) return wrongType(where, "an object", call);
    const id = asText(call.id);
    if (id === "") return missing(`${where}.id`);
    if (id.length > 40) return longString(`${where}.id`, 40, id.length);
    if (call.type !== "function" && call.type !== "custom") {
      return call.type === undefined
        ? missing(`${where}.type`)
        : notSupported(`${where}.type`, asText(call.type), ["function", "custom"]);
    }
    const inner = call[call.type];
    if (!isObject(inner)) return missing(`${where}.${call.type}`);
    const field = call.type === "function" ? "arguments" : "input";
    if (typeof inner[field] !== "string") return wrongType(`${where}.${call.type}.${field}`, "a string", inner[field]);
    return checkFunctionName(asText(inner.name), `${where}.${call.type}.name`);
  });
}

/** An assistant message with calls is followed at once by one tool message per call, in any order. */
function validatePairs(messages: readonly JsonObject[]): Problem | undefined {
  let calls: ReadonlySet<string> = new Set();
  let open = new Set<string>();
  let answered = new Set<string>();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      const problem = checkResult(asText(message.tool_call_id), index, calls, answered);
      if (problem !== undefined) return problem;
      open.delete(asText(message.tool_call_id));
      answered.add(asText(message.tool_call_id));
      continue;
    }
    if (open.size > 0) return unanswered(open, index);
    const ids = asArray(message.tool_calls).flatMap((call) => (isObject(call) ? [asText(call.id)] : []));
    const twice = ids.find((id, place) => ids.indexOf(id) !== place);
    if (twice !== undefined) {
      return invalid(
        `Invalid parameter: Duplicate value for 'id' of '${twice}' in 'tool_calls' of message[${index}].`,
        {
          param: `messages.[${index}].tool_calls`,
        },
      );
    }
    calls = new Set(ids);
    open = new Set(ids);
    answered = new Set();
  }
  return open.size > 0 ? unanswered(open, messages.length) : undefined;
}

function checkResult(
  id: string,
  index: number,
  calls: ReadonlySet<string>,
  answered: ReadonlySet<string>,
): Problem | undefined {
  if (calls.size === 0) {
    return invalid(
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      {
        param: `messages.[${index}].role`,
      },
    );
  }
  const param = `messages.[${index}].tool_call_id`;
  if (!calls.has(id)) {
    return invalid(`Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`, {
      param,
    });
  }
  if (!answered.has(id)) return undefined;
  return invalid(`Invalid parameter: Duplicate value for 'tool_call_id' of '${id}' in message[${index}].`, { param });
}

const unanswered = (open: ReadonlySet<string>, index: number): Problem =>
  invalid(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${[...open].join(", ")}`,
    { param: `messages.[${index}].role` },
  );

/** What Chat Completions defines at the top level; everything else is an "unrecognized request argument". */
const requestFields: ReadonlySet<string> = namesIn(`
  messages model audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens
  max_tokens metadata modalities n parallel_tool_calls prediction presence_penalty prompt_cache_key
  prompt_cache_retention reasoning_effort response_format safety_identifier seed service_tier stop store stream
  stream_options temperature tool_choice tools top_logprobs top_p user verbosity web_search_options
`);

const fields = (...names: readonly string[]): ReadonlySet<string> => new Set(["role", "content", "name", ...names]);

const messageFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["system", fields()],
  ["developer", fields()],
  ["user", fields()],
  ["assistant", fields("tool_calls", "refusal", "audio", "function_call", "annotations")],
  ["tool", fields("tool_call_id")],
  ["function", fields()],
]);

/** Content parts by role. */
const partTypes: ReadonlyMap<string, readonly string[]> = new Map([
  ["system", ["text"]],
  ["developer", ["text"]],
  ["user", ["text", "image_url", "input_audio", "file"]],
  ["assistant", ["text", "refusal"]],
  ["tool", ["text"]],
  ["function", ["text"]],
]);
