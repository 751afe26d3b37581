import { MidfoldError } from "@midfold/core";
import { isJsonObject, type JsonObject } from "../neutral/json-object.ts";
import type { SseEvent } from "../sse/sse-event.ts";

/** The JSON object an event carries, or the error to report when it carries none. */
export function parseEvent(event: SseEvent): JsonObject | MidfoldError {
  try {
    const value: unknown = JSON.parse(event.data);
    if (isJsonObject(value)) return value;
  } catch (cause) {
    return new MidfoldError("UPSTREAM_BROKEN", "The upstream sent an event that is not JSON.", { cause });
  }
  return new MidfoldError("UPSTREAM_BROKEN", "The upstream sent an event that is not a JSON object.");
}
