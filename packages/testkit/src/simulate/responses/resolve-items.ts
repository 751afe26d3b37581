import { asText, isObject, type JsonObject } from "../json.ts";
import type { RequestView } from "../protocol.ts";

/** The whole conversation of a request: what is stored under the previous response, then its own input. */
export function resolveItems({ body, memory }: Pick<RequestView, "body" | "memory">): JsonObject[] {
  const before = memory.responses.get(asText(body.previous_response_id)) ?? [];
  return [...before, ...inputItems(body)].filter(isObject);
}

export function inputItems(body: JsonObject): readonly unknown[] {
  if (typeof body.input === "string") return [{ type: "message", role: "user", content: body.input }];
  return Array.isArray(body.input) ? body.input : [];
}

/** An item without a type but with a role is a message. */
export const itemType = (item: JsonObject): string =>
  item.type === undefined && item.role !== undefined ? "message" : asText(item.type);
