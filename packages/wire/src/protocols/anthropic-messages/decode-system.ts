import type { Message, Part } from "@midfold/core";
import { isJsonObject } from "../../neutral/json-object.ts";

/** A line some clients put first, for billing. It changes often and would spoil another provider's prompt cache. */
const billingHeader = "x-anthropic-billing-header:";

/** The `system` field as a message of the neutral model, or none. */
export function decodeSystem(system: unknown): Message[] {
  if (typeof system === "string") {
    return system === "" ? [] : [{ role: "system", parts: [{ type: "text", text: system }] }];
  }
  if (!Array.isArray(system)) return [];
  const parts: Part[] = [];
  for (const block of system) {
    if (!isJsonObject(block)) continue;
    parts.push(
      typeof block.text === "string"
        ? { type: "text", text: block.text, source: block }
        : { type: "other", kind: String(block.type), value: block, source: block },
    );
  }
  return parts.length === 0 ? [] : [{ role: "system", parts }];
}

export function withoutBillingHeader(system: readonly Message[]): Message[] {
  return system.map((message) => ({
    ...message,
    parts: message.parts.filter((part) => part.type !== "text" || !part.text.startsWith(billingHeader)),
  }));
}
