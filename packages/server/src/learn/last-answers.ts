import { LRUCache } from "lru-cache";
import type { LimitKey } from "./limits.ts";

/** The last answer of a conversation: what its provider has cached is as old. */
export interface LastAnswer {
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
  /** Whether it was to a request that had been folded. */
  readonly folded: boolean;
}

/** When conversations were last answered, by the model that did: no other has them in its cache. */
export interface LastAnswers {
  note(key: LimitKey, conversation: string, answer: LastAnswer): void;
  of(key: LimitKey, conversation: string): LastAnswer | undefined;
}

const maxConversations = 20_000;

export function createLastAnswers(): LastAnswers {
  const answers = new LRUCache<string, LastAnswer>({ max: maxConversations });
  const nameOf = ({ tenant, upstream, model }: LimitKey, conversation: string) =>
    `${tenant}\n${upstream}\n${model}\n${conversation}`;
  return {
    note: (key, conversation, answer) => {
      const name = nameOf(key, conversation);
      // Of two requests at once, or of a log that is read in while requests arrive, the later one counts.
      if ((answers.get(name)?.at ?? 0) <= answer.at) answers.set(name, answer);
    },
    of: (key, conversation) => answers.get(nameOf(key, conversation)),
  };
}
