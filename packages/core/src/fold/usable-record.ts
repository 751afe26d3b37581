import type { FoldRecord } from "../plan/fold-record.ts";
import type { Conversation } from "./read-conversation.ts";

/**
 * The record where it is whole. One that a store or a program broke is told and left alone, so that the fold is made anew:
 * the messages are all there, and a chat with a broken record goes on.
 */
export function usableRecord(
  conversation: Conversation<unknown>,
  record: FoldRecord | undefined,
): FoldRecord | undefined {
  if (record == null) return undefined;
  const wrong = faultOf(record) ?? misfitOf(conversation, record);
  if (wrong === undefined) return record;
  conversation.warn({
    code: "record-broken",
    message: `The record of an earlier fold is not used: its ${wrong}.`,
  });
  return undefined;
}

type Fields = Readonly<Record<string, unknown>>;
// Own ones: what this file shared with those that are loaded at once would become a file of its own.
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const describe = (value: unknown) => (value === null ? "null" : Array.isArray(value) ? "a list" : typeof value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === "string";
const isListOf = (value: unknown, holds: (one: unknown) => boolean) => Array.isArray(value) && value.every(holds);

/** What no record can be, whatever it was made for. */
function faultOf(record: FoldRecord): string | undefined {
  const { id, prefix, preset, covers, edits, texts, kept, tokens, by } = { ...record } as Readonly<
    Record<string, unknown>
  >;
  for (const [name, value] of Object.entries({ id, prefix, preset, by })) {
    if (!isText(value)) return `${name} is ${describe(value)}`;
  }
  if (!isCount(covers)) return `covers is ${describe(covers)}`;
  if (!isListOf(texts, isText)) return "texts are no list of texts";
  if (!isFields(tokens) || ![tokens.before, tokens.after].every(Number.isFinite)) return "tokens are no sizes";
  const isStretch = (value: unknown) => isListOf(value, isCount) && (value as unknown[]).length === 2;
  if (kept !== undefined && !isListOf(kept, isStretch)) return "kept stretches are no pairs of messages";
  if (!Array.isArray(edits)) return "edits are no list";
  let at = 0;
  for (const [index, edit] of edits.entries()) {
    if (!isFields(edit)) return `edit ${index} is ${describe(edit)}`;
    const { first = edit.before ?? edit.at, last = first } = edit;
    // An edit that goes back would send messages twice. One of no messages at all is what `recordOf` makes of 0.
    if (!isCount(first) || !Number.isSafeInteger(last) || first < at || (last as number) < first - 1) {
      return `edit ${index} has no place behind the one before it`;
    }
    at = edit.do === "insert" ? first : (last as number) + 1;
    if (at > covers) return `edit ${index} is behind the ${covers} messages it covers`;
    if (!editsAre[edit.do as keyof typeof editsAre]?.(edit)) return `edit ${index} is none that a fold makes`;
  }
  return undefined;
}

const roles: ReadonlySet<unknown> = new Set(["system", "user", "assistant", "tool"]);

const editsAre = {
  drop: ({ first, last }: Fields) => isCount(first) && last !== undefined,
  insert: ({ before, role, parts }: Fields) =>
    isCount(before) &&
    roles.has(role) &&
    // Results without their role, and the role without results, are refused by every provider.
    isListOf(parts, (part) => isPart(part) && (part.type === "tool-result") === (role === "tool")),
  parts: ({ at, parts }: Fields) => isCount(at) && isListOf(parts, (part) => isCount(part) || isPart(part)),
};

const needed: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  reasoning: ["text"],
  image: [],
  file: [],
  "tool-call": ["id", "name", "input"],
  "tool-result": ["callId"],
  other: ["kind"],
};
const texts = ["text", "id", "name", "input", "callId", "kind", "mediaType", "data", "url", "fileId", "detail"];
const proofs = ["signature", "opaque"];
const numbers = ["width", "height", "bytes"];

function isPart(value: unknown): value is Fields {
  if (!isFields(value) || typeof value.type !== "string" || !Object.hasOwn(needed, value.type)) return false;
  if (!needed[value.type]!.every((name) => isText(value[name]))) return false;
  if (value.type === "tool-result" && !isListOf(value.content, isPart)) return false;
  return (
    [...texts, ...proofs].every((name) => value[name] === undefined || isText(value[name])) &&
    numbers.every((name) => value[name] === undefined || typeof value[name] === "number")
  );
}

/** A number in an edit stands for the part that the message had at that place. Other conversations are not asked. */
function misfitOf({ messages, prefix }: Conversation<unknown>, record: FoldRecord): string | undefined {
  const { covers, edits } = record;
  if (covers > messages.length || prefix(covers) !== record.prefix) return undefined;
  const wrong = edits.findIndex(
    (edit) =>
      edit.do === "parts" &&
      edit.parts.some((part) => typeof part === "number" && part >= messages[edit.at]!.parts.length),
  );
  return wrong < 0 ? undefined : `edit ${wrong} names a part that its message does not have`;
}
