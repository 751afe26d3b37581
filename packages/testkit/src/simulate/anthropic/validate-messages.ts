import { pngSize } from "../count-text.ts";
import { asArray, asText, isObject, type JsonObject, unknownKeys } from "../json.ts";
import { firstProblem, invalid, type Problem, problemIn } from "../problem.ts";
import { blocks, messageFields, systemTurnFields, toolResultTypes } from "./known-fields.ts";

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

const maxBytes = 5 * 1024 * 1024;
const mediaTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** The size limits on images; with more than 20 of them in a request the limit on their edges is lower. */
function checkImage(block: JsonObject, at: string, imagesInRequest: number): Problem | undefined {
  const source = block.source;
  if (!isObject(source)) return invalid(`${at}.source: Field required`);
  if (source.type === "url" || source.type === "file") return undefined;
  if (source.type !== "base64") {
    return invalid(
      `${at}.source: Input tag '${asText(source.type)}' found using 'type' does not match any of the expected tags: 'base64', 'file', 'url'`,
    );
  }
  const type = asText(source.media_type);
  if (!mediaTypes.includes(type)) {
    return invalid(
      `${at}.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    );
  }
  const data = asText(source.data);
  const bytes = Buffer.byteLength(data);
  if (bytes > maxBytes) {
    return invalid(`${at}.source.base64: image exceeds 5 MB maximum: ${bytes} bytes > ${maxBytes} bytes`);
  }
  const size = pngSize(data);
  if (type === "image/png" && size === undefined) return invalid(`${at}.source.base64.data: Could not process image`);
  if (type !== "image/png" && size !== undefined) {
    return invalid(
      `${at}.source.base64: The image was specified using the ${type} media type, but the image appears to be a image/png image`,
    );
  }
  const edge = size === undefined ? 0 : Math.max(size.width, size.height);
  const many = imagesInRequest > 20;
  if (edge <= (many ? 2_000 : 8_000)) return undefined;
  const limit = many ? "for many-image requests: 2000 pixels" : "8000 pixels";
  return invalid(
    `${at}.source.base64.data: At least one of the image dimensions exceed max allowed size${many ? " " : ": "}${limit}`,
  );
}

interface Turn {
  /** Position of the first message that was merged into this turn. */
  readonly index: number;
  readonly role: string;
  readonly blocks: JsonObject[];
}

/** Calls and results as the API wants them: answered in the very next user turn, results first, each exactly once. */
function validatePairs(messages: readonly JsonObject[]): Problem | undefined {
  const turns = mergeTurns(messages);
  const used = new Set<string>();
  for (const [place, turn] of turns.entries()) {
    const problem =
      turn.role === "assistant" ? checkCalls(turn, turns[place + 1], used) : checkResults(turn, turns[place - 1]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** The API joins neighbours of one role; system turns do not separate them. */
function mergeTurns(messages: readonly JsonObject[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((message, index) => {
    const role = asText(message.role);
    if (role === "system") return;
    const blocks = asArray(message.content).filter(isObject);
    const content = typeof message.content === "string" ? [{ type: "text", text: message.content }] : blocks;
    const before = turns.at(-1);
    if (before?.role === role) before.blocks.push(...content);
    else turns.push({ index, role, blocks: [...content] });
  });
  return turns;
}

function checkCalls(turn: Turn, next: Turn | undefined, used: Set<string>): Problem | undefined {
  const ids: string[] = [];
  for (const [place, block] of turn.blocks.entries()) {
    if (block.type !== "tool_use") continue;
    const id = asText(block.id);
    if (used.has(id)) return invalid(`messages.${turn.index}.content.${place}: \`tool_use\` ids must be unique`);
    used.add(id);
    ids.push(id);
  }
  const answered = new Set<string>();
  for (const block of next?.blocks ?? []) {
    // Results stand at the head of the turn; whatever follows other content does not count as an answer.
    if (block.type !== "tool_result") break;
    answered.add(asText(block.tool_use_id));
  }
  const open = ids.filter((id) => !answered.has(id));
  if (open.length === 0) return undefined;
  return invalid(
    `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: Turn, previous: Turn | undefined): Problem | undefined {
  const calls = new Set(
    (previous?.blocks ?? []).flatMap((block) => (block.type === "tool_use" ? [asText(block.id)] : [])),
  );
  const seen = new Set<string>();
  for (const [place, block] of turn.blocks.entries()) {
    if (block.type !== "tool_result") continue;
    const id = asText(block.tool_use_id);
    const at = `messages.${turn.index}.content.${place}`;
    if (!calls.has(id)) {
      return invalid(
        `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
    if (seen.has(id)) {
      return invalid(
        `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
  }
  return undefined;
}
