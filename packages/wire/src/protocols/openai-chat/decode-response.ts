import { formats, MidfoldError, type Part } from "@midfold/core";
import { compact, isJsonObject, textField } from "../../neutral/json-object.ts";
import type { NeutralResponse } from "../../neutral/neutral-response.ts";
import { proofOf } from "../../translate/call-proofs.ts";
import { argumentText } from "../../translate/parse-arguments.ts";
import { decodeErrorObject } from "../decode-failure.ts";
import { decodeFinish } from "./finish.ts";
import { decodeUsage } from "./usage.ts";

export function decodeResponse(body: unknown): NeutralResponse {
  if (!isJsonObject(body)) throw notAnAnswer();
  if (body.error !== undefined && body.error !== null) throw decodeErrorObject(body);
  const choice: unknown = Array.isArray(body.choices) ? body.choices[0] : undefined;
  if (!isJsonObject(choice) || !isJsonObject(choice.message)) throw notAnAnswer();
  if (isJsonObject(choice.error)) throw decodeErrorObject(choice);
  const parts = decodeParts(choice.message);
  const refused = parts.some((part) => part.type === "other" && part.kind === "refusal");
  const hasCalls = parts.some((part) => part.type === "tool-call");
  return compact({
    id: textField(body.id),
    model: textField(body.model),
    parts: parts.map(refusalAsText),
    finish: refused ? ("refusal" as const) : decodeFinish(choice.finish_reason, hasCalls, choice.stop_reason),
    stopSequence: textField(choice.stop_reason),
    usage: decodeUsage(body.usage),
    source: body,
  });
}

function notAnAnswer(): MidfoldError {
  return new MidfoldError("UPSTREAM_BROKEN", "The upstream sent something that is not a chat completion.");
}

/** Answers are looser than requests: ids may be missing, and arguments may be anything. */
function decodeParts(message: Readonly<Record<string, unknown>>): readonly Part[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isJsonObject) : [];
  const complete = calls.map((call, index) => (typeof call.id === "string" ? call : { ...call, id: `call_${index}` }));
  const wire = { ...message, role: "assistant", tool_calls: complete.length === 0 ? undefined : complete };
  const parts = formats["openai-chat"].decode([wire], { onInvalid: "skip" })[0]?.parts ?? textOnly(message.content);
  const proofs = new Map(complete.map((call) => [call.id, proofOf(call, String(call.id))]));
  return parts.flatMap((part): readonly Part[] => {
    if (part.type !== "tool-call") return [part];
    const proof = proofs.get(part.id);
    const call = part.custom === true ? part : { ...part, input: argumentText(part.input) };
    return proof === undefined ? [call] : [proof, call];
  });
}

function textOnly(content: unknown): Part[] {
  return typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : [];
}

function refusalAsText(part: Part): Part {
  if (part.type !== "other" || part.kind !== "refusal") return part;
  return { type: "text", text: typeof part.value === "string" ? part.value : "" };
}
