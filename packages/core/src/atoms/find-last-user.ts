import type { Message } from "../message/message.ts";

/** The newest message in which the user says something: not only tool results, and not a frame of an earlier fold. */
export function findLastUser(messages: readonly Message[], isFrame: (message: Message) => boolean): number {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.role === "user" && !isFrame(message)) return i;
  }
  return -1;
}
