import { LRUCache } from "lru-cache";
import type { LimitKey } from "./limits.ts";

/**
 * When conversations were last answered, in milliseconds since 1970, by the model that did: what its provider has cached of
 * them is as old, and no other has anything.
 */
export interface LastAnswers {
  note(key: LimitKey, conversation: string, at: number): void;
  of(key: LimitKey, conversation: string): number | undefined;
}

const maxConversations = 5_000;

export function createLastAnswers(): LastAnswers {
  const answers = new LRUCache<string, number>({ max: maxConversations });
  const nameOf = ({ tenant, upstream, model }: LimitKey, conversation: string) =>
    `${tenant}\n${upstream}\n${model}\n${conversation}`;
  return {
    note: (key, conversation, at) => {
      const name = nameOf(key, conversation);
      // Of two requests at once, or of a log that is read in while requests arrive, the later one counts.
      answers.set(name, Math.max(at, answers.get(name) ?? at));
    },
    of: (key, conversation) => answers.get(nameOf(key, conversation)),
  };
}
