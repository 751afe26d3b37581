import { asArray, asText, isObject, type JsonObject } from "../json.ts";
import { invalid, type Problem } from "../problem.ts";

/** An assistant message with calls is followed at once by one tool message per call, in any order. */
export function validatePairs(messages: readonly JsonObject[]): Problem | undefined {
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
