import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import { checkImage } from "./check-image.ts";
import { blocks, messageFields, systemTurnFields, toolResultTypes } from "./known-fields.ts";
import { validatePairs } from "./validate-pairs.ts";

export interface MessageRules {
  readonly laterSystem: boolean;
  readonly prefill: boolean;
  readonly strictFields: boolean;
}

export function validateMessages(body: JsonObject, rules: MessageRules): Problem | undefined {
  if (body.messages === undefined) return invalid("messages: Field required");
  if (!Array.isArray(body.messages)) return invalid("messages: Input should be a valid list");
  if (body.messages.length === 0) return invalid("messages: at least one message is required");
  const wrong = problemIn(body.messages, (message, index) =>
    isObject(message) ? undefined : invalid(`messages.${index}: Input should be a valid dictionary`),
  );
  if (wrong !== undefined) return wrong;
  const messages = body.messages as readonly JsonObject[];
  const images = messages.flatMap((message) => contentBlocks(message)).filter((block) => block.type === "image").length;
  return firstProblem(
    () => problemIn(messages, (message, index) => validateRole(message, index, rules)),
    () =>
      problemIn(messages, (message, index) =>
        validateContent(message, index, { ...rules, images, last: messages.length - 1 }),
      ),
    () => validatePairs(messages),
    () => validateEnding(messages, rules),
  );
}

/** The blocks of a message; a string counts as one text block. */
export function contentBlocks(message: JsonObject): readonly JsonObject[] {
  if (typeof message.content === "string") return [{ type: "text", text: message.content }];
  return asArray(message.content).filter(isObject);
}

function validateRole(message: JsonObject, index: number, rules: MessageRules): Problem | undefined {
  const role = message.role;
  if (role === "system") {
    if (!rules.laterSystem) return invalid("role 'system' is not supported on this model");
    if (index === 0) return invalid('messages: first message must use the "user" role');
  } else if (role !== "user" && role !== "assistant") {
    return invalid(`messages.${index}.role: Input should be 'user' or 'assistant'`);
  }
  if (index === 0 && role !== "user") return invalid('messages: first message must use the "user" role');
  if (!rules.strictFields) return undefined;
  const [extra] = unknownKeys(message, role === "system" ? systemTurnFields : messageFields);
  return extra === undefined ? undefined : invalid(`messages.${index}.${extra}: Extra inputs are not permitted`);
}

function validateContent(
  message: JsonObject,
  index: number,
  rules: MessageRules & { readonly images: number; readonly last: number },
): Problem | undefined {
  const { content, role } = message;
  if (content === undefined) return invalid(`messages.${index}.content: Field required`);
  if (typeof content !== "string" && !Array.isArray(content)) {
    return invalid(`messages.${index}.content: Input should be a valid string or list`);
  }
  // A system turn may be a directive without words.
  if (content.length === 0 && role !== "system") {
    if (role === "assistant" && index === rules.last) return undefined;
    return invalid(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  if (typeof content === "string") return validateText(content);
  return problemIn(content, (block, place) =>
    validateBlock(block, `messages.${index}.content.${place}`, asText(role), rules),
  );
}

function validateText(text: string): Problem | undefined {
  if (text === "") return invalid("messages: text content blocks must be non-empty");
  return text.trim() === "" ? invalid("messages: text content blocks must contain non-whitespace text") : undefined;
}

function validateBlock(
  block: unknown,
  at: string,
  role: string,
  rules: MessageRules & { readonly images: number },
): Problem | undefined {
  if (!isObject(block)) return invalid(`${at}: Input should be a valid dictionary`);
  const type = asText(block.type);
  const known = blocks.get(type);
  if (known === undefined) {
    const tags = [...blocks.keys()].map((tag) => `'${tag}'`).join(", ");
    return invalid(`${at}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`);
  }
  if (!known.roles.includes(role)) {
    const owner = known.roles.includes("user") ? "user" : "assistant";
    return invalid(`${at.replace(/\.content\.\d+$/, "")}: \`${type}\` blocks can only be in \`${owner}\` messages`);
  }
  const [extra] = rules.strictFields ? unknownKeys(block, known.fields) : [];
  if (extra !== undefined) return invalid(`${at}.${type}.${extra}: Extra inputs are not permitted`);
  switch (type) {
    case "text":
      return validateText(asText(block.text));
    case "image":
      return checkImage(block, `${at}.image`, rules.images);
    case "tool_use":
      return validateToolUse(block, at);
    case "tool_result":
      return validateToolResult(block, at, rules);
    default:
      return undefined;
  }
}

function validateToolUse(block: JsonObject, at: string): Problem | undefined {
  if (!/^[a-zA-Z0-9_-]+$/.test(asText(block.id))) {
    return invalid(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  }
  if (!/^[a-zA-Z0-9_-]{1,200}$/.test(asText(block.name))) {
    return invalid(`${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`);
  }
  return isObject(block.input) ? undefined : invalid(`${at}.tool_use.input: Input should be a valid dictionary`);
}

function validateToolResult(
  block: JsonObject,
  at: string,
  rules: MessageRules & { readonly images: number },
): Problem | undefined {
  if (block.tool_use_id === undefined) return invalid(`${at}.tool_result.tool_use_id: Field required`);
  if (block.content === undefined || typeof block.content === "string") return undefined;
  return problemIn(asArray(block.content), (inner, place) => {
    const where = `${at}.tool_result.content.${place}`;
    const type = isObject(inner) ? asText(inner.type) : "";
    if (!toolResultTypes.has(type)) {
      return invalid(
        `${where}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'text', 'image', 'document', 'search_result'`,
      );
    }
    return validateBlock(inner, where, "user", rules);
  });
}

function validateEnding(messages: readonly JsonObject[], rules: MessageRules): Problem | undefined {
  const last = messages.findLast((message) => message.role !== "system");
  if (last?.role !== "assistant") return undefined;
  if (!rules.prefill) {
    return invalid(
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
  }
  const text = asText(contentBlocks(last).at(-1)?.text);
  return text !== text.trimEnd()
    ? invalid("messages: final assistant content cannot end with trailing whitespace")
    : undefined;
}
