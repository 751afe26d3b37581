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
import { messageFields, partTypes } from "./known-fields.ts";

/** Each message by itself; calls and results are paired elsewhere. */
export function validateMessages(body: JsonObject, strictFields: boolean): Problem | undefined {
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
