import { MidfoldError } from "@midfold/core";
import { isJsonObject, type JsonObject } from "../neutral/json-object.ts";

/** The body as an object; throws VALIDATION_ERROR in words a client can act on. */
export function readBody(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw new MidfoldError("VALIDATION_ERROR", "The request body must be a JSON object.");
}

/** The messages of a request; there must be one. */
export function readMessages(body: JsonObject): readonly unknown[] {
  const { messages } = body;
  if (Array.isArray(messages) && messages.length > 0) return messages;
  const problem = Array.isArray(messages)
    ? "at least one message is required"
    : messages === undefined
      ? "Field required"
      : "must be an array";
  throw new MidfoldError("VALIDATION_ERROR", `messages: ${problem}`, { details: { param: "messages" } });
}

export function readModel(body: JsonObject): string {
  if (typeof body.model === "string" && body.model !== "") return body.model;
  throw new MidfoldError("VALIDATION_ERROR", "model: Field required", { details: { param: "model" } });
}

/** The fields of a body that no rule knows. */
export function unknownFields(body: JsonObject, known: ReadonlySet<string>): Record<string, unknown> {
  const unknown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (!known.has(name) && value !== null && value !== undefined) unknown[name] = value;
  }
  return unknown;
}

/** A list of stop sequences from either spelling, without the empty ones. */
export function readStops(value: unknown): string[] {
  const list = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return list.filter((stop): stop is string => typeof stop === "string" && stop !== "");
}
