import type { Message } from "../message/message.ts";

/** Where the newest assistant turn starts: its tool calls may still be running. The length when there is none. */
export function findRunning(messages: readonly Message[]): number {
  let index = messages.length;
  while (index > 0 && messages[index - 1]!.role === "tool") index--;
  if (messages[index - 1]?.role !== "assistant") return messages.length;
  while (index > 0 && messages[index - 1]!.role === "assistant") index--;
  return index;
}
