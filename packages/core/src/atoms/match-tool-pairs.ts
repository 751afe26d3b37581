import type { Message } from "../message/message.ts";

/** Where every tool call found its result, and what is wrong with the rest. Linear. */
export interface ToolPairs {
  /** For each message, the last message that holds a result of one of its calls; itself when there is none. */
  readonly reach: readonly number[];
  /** Parts that pair with nothing: orphaned results, second answers, and calls whose id was called again unanswered. */
  readonly strays: readonly PartPlace[];
  /** Calls that were never answered. */
  readonly unanswered: readonly PartPlace[];
}

export interface PartPlace {
  readonly message: number;
  readonly part: number;
}

/** Pairs the calls and results of a whole list. */
export function matchToolPairs(messages: readonly Message[]): ToolPairs {
  const matcher = new PairMatcher();
  for (const message of messages) matcher.add(message);
  return matcher.pairs();
}

/**
 * Pairs calls with results by id, message by message, so that a conversation that grew goes on where it was. An id may be
 * used again once it was answered (some servers number calls from zero in every turn), so a result belongs to the nearest
 * open call before it.
 */
export class PairMatcher {
  readonly #reach: number[] = [];
  readonly #open = new Map<string, PartPlace>();
  readonly #strays: PartPlace[] = [];

  /** How many messages were added. */
  get count(): number {
    return this.#reach.length;
  }

  add({ parts }: Message): void {
    const message = this.#reach.length;
    this.#reach.push(message);
    for (let p = 0; p < parts.length; p++) {
      const part = parts[p]!;
      if (part.type === "tool-call" && part.hosted !== true) {
        const unclosed = this.#open.get(part.id);
        if (unclosed !== undefined) this.#strays.push(unclosed);
        this.#open.set(part.id, { message, part: p });
      } else if (part.type === "tool-result" && part.hosted !== true) {
        const call = this.#open.get(part.callId);
        if (call === undefined) {
          this.#strays.push({ message, part: p });
        } else {
          this.#reach[call.message] = message;
          this.#open.delete(part.callId);
        }
      }
    }
  }

  /** The pairs so far. Later messages do not change the answer. */
  pairs(): ToolPairs {
    return { reach: this.#reach.slice(), strays: this.#strays.slice(), unanswered: [...this.#open.values()] };
  }
}
