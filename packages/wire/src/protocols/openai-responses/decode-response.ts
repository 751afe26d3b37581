import { formats, MidfoldError, type Part } from "@midfold/core";
import { compact, isJsonObject, type JsonObject, textField } from "../../neutral/json-object.ts";
import type { FinishReason, NeutralResponse } from "../../neutral/neutral-response.ts";
import { argumentText } from "../../translate/parse-arguments.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { decodeUsage } from "./usage.ts";

export function decodeResponse(body: unknown): NeutralResponse {
  if (!isJsonObject(body)) throw notAResponse();
  if (isJsonObject(body.error)) throw decodeErrorObject(body);
  if (!Array.isArray(body.output)) throw notAResponse();
  const messages = formats["openai-responses"].decode(body.output, { onInvalid: "skip" });
  const parts = messages.flatMap((message) => message.parts).map(asSaid);
  return compact({
    id: textField(body.id),
    model: textField(body.model),
    parts,
    finish: decodeFinish(body, parts),
    usage: decodeUsage(body.usage),
    source: body,
  });
}

/** Why a response ended; the status says so only when it was cut short. */
export function decodeFinish(response: JsonObject, parts: readonly Part[]): FinishReason {
  const details = isJsonObject(response.incomplete_details) ? response.incomplete_details : {};
  if (response.status === "incomplete") return details.reason === "content_filter" ? "refusal" : "length";
  if (parts.some((part) => part.type === "tool-call" && part.hosted !== true)) return "tool-calls";
  return parts.some((part) => part.type === "other" && part.kind === "refusal") ? "refusal" : "stop";
}

function asSaid(part: Part): Part {
  if (part.type === "tool-call" && part.custom !== true) return { ...part, input: argumentText(part.input) };
  return part;
}

function notAResponse(): MidfoldError {
  return new MidfoldError("UPSTREAM_BROKEN", "The upstream sent something that is not a response.");
}
