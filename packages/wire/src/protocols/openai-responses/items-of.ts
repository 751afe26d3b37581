import { MidfoldError } from "@midfold/core";
import { isJsonObject } from "../../neutral/json-object.ts";

/** The input items of a request; a plain string is one message of the user. */
export function itemsOf(body: unknown): readonly unknown[] {
  const input = isJsonObject(body) ? body.input : undefined;
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  if (Array.isArray(input)) return input;
  if (input === undefined || input === null) return [];
  throw new MidfoldError("VALIDATION_ERROR", "input must be a string or an array of items.", {
    details: { param: "input" },
  });
}

const trigger = "compaction_trigger";

/** Whether the client asks for its history to be compacted now, by an item at the end of the input. */
export function hasCompactionTrigger(items: readonly unknown[]): boolean {
  const last = items.at(-1);
  return isJsonObject(last) && last.type === trigger;
}

/** Whether a server's refusal says that it does not know the item. */
export function refusesCompactionTrigger(text: string): boolean {
  return text.includes(trigger);
}
