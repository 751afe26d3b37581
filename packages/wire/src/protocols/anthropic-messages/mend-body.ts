import { formats } from "@midfold/core";
import { isJsonObject, type JsonObject } from "../../neutral/json-object.ts";
import { withoutSyntheticThinking } from "./synthetic-signature.ts";

/** As many cache marks as the API takes. */
const maxMarks = 4;
const mark = "cache_control";
/** What a tool takes and what a model gave it have field names of their own. */
const foreign: ReadonlySet<string> = new Set(["input", "input_schema"]);

/**
 * A body as Anthropic itself takes it: without thinking that Midfold signed for another provider's model, and with at
 * most four cache marks. The marks of tools and system prompt are the ones every request shares, so those of the oldest
 * messages go first. What needs no mending keeps its identity.
 */
export function mendBody(body: unknown): unknown {
  if (!isJsonObject(body) || !Array.isArray(body.messages)) return body;
  return limitMarks(withoutOurThinking(body, body.messages));
}

function withoutOurThinking(body: JsonObject, wire: readonly unknown[]): JsonObject {
  const format = formats["anthropic-messages"];
  const messages = format.decode(wire);
  const kept = withoutSyntheticThinking(messages);
  if (kept === messages) return body;
  const known = new Set(messages);
  return { ...body, messages: kept.map((message) => (known.has(message) ? message.source : format.encode(message))) };
}

/** The same body with at most four cache marks. */
export function limitMarks(body: JsonObject): JsonObject {
  let surplus = countMarks(body) - maxMarks;
  if (surplus <= 0) return body;
  const mended: Record<string, unknown> = { ...body };
  for (const field of ["messages", "tools", "system"]) {
    if (surplus <= 0) break;
    const [value, removed] = withoutMarks(body[field], surplus);
    mended[field] = value;
    surplus -= removed;
  }
  return mended;
}

function countMarks(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let marks = 0;
  for (const [key, inner] of Object.entries(value)) {
    if (key === mark && !Array.isArray(value)) marks += inner === null ? 0 : 1;
    else if (!foreign.has(key)) marks += countMarks(inner);
  }
  return marks;
}

/** The value without its first `most` marks, and how many that were. */
function withoutMarks(value: unknown, most: number): readonly [value: unknown, removed: number] {
  if (most === 0 || typeof value !== "object" || value === null) return [value, 0];
  let removed = 0;
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    if (key === mark && !Array.isArray(value) && inner !== null && removed < most) {
      removed += 1;
      continue;
    }
    const [next, found] = foreign.has(key) ? [inner, 0] : withoutMarks(inner, most - removed);
    removed += found;
    entries.push([key, next]);
  }
  if (removed === 0) return [value, 0];
  return [Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries), removed];
}
