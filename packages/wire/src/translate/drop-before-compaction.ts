import type { Message, OtherPart, Part } from "@midfold/core";
import { isJsonObject, textField } from "../neutral/json-object.ts";
import { openSummary } from "./sealed-summary.ts";

/**
 * A compaction block stands for everything before it. For an upstream that does not know such blocks, what came before
 * is dropped and the summary in the last of them becomes the first words of the conversation.
 */
export function dropBeforeCompaction(messages: readonly Message[]): Message[] {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    const parts = message?.parts ?? [];
    const block = parts.findLastIndex((part) => summaryOf(part) !== undefined);
    if (message === undefined || block < 0) continue;
    const summary = summaryOf(parts[block] as Part) ?? "";
    const first: Message = { role: "user", parts: [{ type: "text", text: summary }] };
    const left = parts.slice(block + 1);
    return [first, ...(left.length === 0 ? [] : [{ ...message, parts: left }]), ...messages.slice(at + 1)];
  }
  return [...messages];
}

function summaryOf(part: Part): string | undefined {
  if (part.type !== "other" || part.kind !== "compaction") return undefined;
  const { value } = part as OtherPart;
  if (!isJsonObject(value)) return undefined;
  const sealed = textField(value.encrypted_content);
  return textField(value.content) ?? (sealed === undefined ? undefined : openSummary(sealed));
}
