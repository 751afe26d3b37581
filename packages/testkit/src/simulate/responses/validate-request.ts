import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import { validateBearer } from "../openai-headers.ts";
import { checkFunctionName, emptyArray, missing, unknownParameter, wrongType } from "../openai-problems.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import type { RequestView } from "../protocol.ts";
import { requestFields } from "./known-fields.ts";
import { resolveItems } from "./resolve-items.ts";
import { validateItems } from "./validate-items.ts";
import { validatePairs } from "./validate-pairs.ts";

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
