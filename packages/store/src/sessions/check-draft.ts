import { MidfoldError } from "@midfold/core";
import type { MessageDraft } from "./messages.ts";

const roles = new Set(["system", "user", "assistant", "tool"]);
const visibilities = new Set([undefined, "all", "person", "model"]);
const statuses = new Set([undefined, "complete", "streaming", "interrupted", "failed"]);

/** Throws `VALIDATION_ERROR` naming the position and the field; types alone do not hold at the edge of the system. */
export function checkDraft(draft: MessageDraft, position: number): void {
  const refuse = (field: string, must: string) => {
    throw new MidfoldError("VALIDATION_ERROR", `Message ${position}: ${field} must be ${must}.`, {
      details: { position, field },
    });
  };
  if (!roles.has(draft.role)) refuse("role", "system, user, assistant or tool");
  if (!Array.isArray(draft.parts)) refuse("parts", "a list");
  if (!visibilities.has(draft.visibility)) refuse("visibility", "all, person or model");
  if (!statuses.has(draft.status)) refuse("status", "complete, streaming, interrupted or failed");
  if (draft.id !== undefined && (typeof draft.id !== "string" || draft.id === "")) refuse("id", "a text");
  for (const field of ["inputTokens", "outputTokens", "createdAt"] as const) {
    const value = draft[field];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0)) refuse(field, "a whole number from 0 on");
  }
}
