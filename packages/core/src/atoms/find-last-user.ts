import type { Message } from "../message/message.ts";

/** The newest message in which the user says something: not only tool results, a frame of an earlier fold or a reminder. */
export function findLastUser(messages: readonly Message[], isFrame: (message: Message) => boolean): number {
  let last = -1;
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.role !== "user" || isFrame(message)) continue;
    const [first, ...others] = message.parts;
    if (others.length > 0 || first?.type !== "text" || !isReminder(first.text)) return i;
    if (last < 0) last = i;
  }
  return last;
}

/** What a client says in the user's name; Kimi Code sends it as messages of its own behind the task. */
function isReminder(text: string): boolean {
  const pieces = text.split(/<\/?system-reminder>/);
  return pieces.length === 3 && `${pieces[0]}${pieces[2]}`.trim() === "";
}
