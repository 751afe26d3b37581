import type { Message } from "../message/message.ts";

/** Where every tool call found its result, and what is wrong with the rest. Linear. */
export interface ToolPairs {
  /** For each message, the last message that holds a result of one of its calls; itself when there is none. */
  readonly reach: Int32Array;
  /** Parts that pair with nothing: orphaned results, second answers, and calls whose id was called again unanswered. */
  readonly strays: readonly PartPlace[];
  /** Calls that were never answered. */
  readonly unanswered: readonly PartPlace[];
}

export interface PartPlace {
  readonly message: number;
  readonly part: number;
}

/**
 * Pairs calls with results by id. An id may be used again once it was answered (some servers number calls from zero in
 * every turn), so a result belongs to the nearest open call before it.
 */
export function matchToolPairs(messages: readonly Message[]): ToolPairs {
  const reach = new Int32Array(messages.length);
  const open = new Map<string, PartPlace>();
  const strays: PartPlace[] = [];
  const unanswered: PartPlace[] = [];
  for (let i = 0; i < messages.length; i++) {
    reach[i] = i;
    const { parts } = messages[i]!;
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]!;
      if (part.type === "tool-call" && part.hosted !== true) {
        const unclosed = open.get(part.id);
        if (unclosed !== undefined) strays.push(unclosed);
        open.set(part.id, { message: i, part: p });
      } else if (part.type === "tool-result" && part.hosted !== true) {
        const call = open.get(part.callId);
        if (call === undefined) {
          strays.push({ message: i, part: p });
        } else {
          reach[call.message] = i;
          open.delete(part.callId);
        }
      }
    }
  }
  for (const call of open.values()) unanswered.push(call);
  return { reach, strays, unanswered };
}
