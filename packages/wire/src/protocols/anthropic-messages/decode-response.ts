import { formats, MidfoldError } from "@midfold/core";
import { compact, isJsonObject, textField } from "../../neutral/json-object.ts";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { decodeFinish } from "./finish.ts";
import { decodeUsage } from "./usage.ts";

export function decodeResponse(body: unknown): NeutralResponse {
  if (isJsonObject(body) && isJsonObject(body.error)) throw decodeErrorObject(body);
  const message =
    isJsonObject(body) && Array.isArray(body.content)
      ? formats["anthropic-messages"].decode([{ role: "assistant", content: body.content }], { onInvalid: "skip" })[0]
      : undefined;
  if (!isJsonObject(body) || message === undefined) {
    throw new MidfoldError("UPSTREAM_BROKEN", "The upstream sent something that is not a message.");
  }
  return compact({
    id: textField(body.id),
    model: textField(body.model),
    parts: message.parts,
    finish: decodeFinish(body.stop_reason),
    stopSequence: textField(body.stop_sequence),
    usage: decodeUsage(body.usage),
    source: body,
  });
}
