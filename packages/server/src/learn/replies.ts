import { LRUCache } from "lru-cache";
import type { LimitKey } from "./limits.ts";

/** How long the answers of each model were, for this caller. */
export interface Replies {
  /** Records the tokens of an answer, as billed; 0 where the upstream said nothing. */
  add(key: LimitKey, tokens: number): void;
  /** The longest of the newest answers; undefined before there were a few, since one says little of the next. */
  longestOf(key: LimitKey): number | undefined;
}

const enough = 3;
const kept = 100;
const maxModels = 5_000;

export function createReplies(): Replies {
  const models = new LRUCache<string, number[]>({ max: maxModels });
  const nameOf = ({ tenant, upstream, model }: LimitKey) => `${tenant}\n${upstream}\n${model}`;
  return {
    add: (key, tokens) => {
      if (tokens <= 0) return;
      const known = models.get(nameOf(key));
      if (known === undefined) {
        models.set(nameOf(key), [tokens]);
        return;
      }
      known.push(tokens);
      if (known.length > kept) known.shift();
    },
    longestOf: (key) => {
      const known = models.get(nameOf(key));
      return known === undefined || known.length < enough ? undefined : Math.max(...known);
    },
  };
}
