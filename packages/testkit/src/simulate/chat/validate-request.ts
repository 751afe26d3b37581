import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import { validateBearer } from "../openai-headers.ts";
import { checkFunctionName, emptyArray, longArray, missing, notSupported, wrongType } from "../openai-problems.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import type { RequestView } from "../protocol.ts";
import { requestFields } from "./known-fields.ts";
import { validateMessages } from "./validate-messages.ts";
import { validatePairs } from "./validate-pairs.ts";

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
