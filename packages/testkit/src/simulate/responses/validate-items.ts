import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import {
  checkFunctionName,
  emptyArray,
  longString,
  missing,
  notSupported,
  unknownParameter,
  wrongType,
} from "../openai-problems.ts";
import { invalid, type Problem, problemIn } from "../problem.ts";
import { inputParts, itemFields, itemTypes, messageRoles, outputParts } from "./known-fields.ts";
import { inputItems, itemType } from "./resolve-items.ts";

/** Each item by itself; calls, outputs and reasoning are matched elsewhere. */
export function validateItems(body: JsonObject, strictFields: boolean): Problem | undefined {
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
