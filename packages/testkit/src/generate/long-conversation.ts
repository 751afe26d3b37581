import type { Message } from "@midfold/core";
import type { Draft, Step } from "./draft.ts";
import { createRandom } from "./random.ts";
import { toMessages } from "./to-messages.ts";
import { type TextKind, writeText } from "./write-text.ts";

export interface LongConversationOptions {
  /** Rounds: a user message, the tool work, an answer. */
  readonly turns: number;
  readonly seed?: number;
  /** Share of the rounds in which tools are used, 0 to 1. Default 0.5. */
  readonly toolShare?: number;
  /** Stop after exactly this many messages, even within a round. */
  readonly maxMessages?: number;
}

/** A long, deterministic conversation for benches and demos: 100 000 messages in well under a second. */
export function longConversation(options: LongConversationOptions): Message[] {
  const messages = toMessages(longDraft(options));
  return options.maxMessages === undefined ? messages : messages.slice(0, options.maxMessages);
}

/** The same, before it takes a format. */
export function longDraft({ turns, seed = 1, toolShare = 0.5, maxMessages }: LongConversationOptions): Draft {
  const random = createRandom(seed);
  const pools = writePools(seed);
  const steps: Step[] = [];
  const system = `You are a careful engineer. ${pools.facts[0]}`;
  // Every text ends with its own number, so that no two messages are equal and counters cannot answer from memory.
  let serial = 0;
  const say = (pool: readonly string[]) => [{ kind: "text" as const, text: `${random.pick(pool)} (#${++serial})` }];
  let messages = 1;
  for (let turn = 0; turn < turns && (maxMessages === undefined || messages < maxMessages); turn++) {
    steps.push({ kind: "user", pieces: say(turn % 5 === 0 ? pools.facts : pools.prose) });
    messages += 1;
    if (random.next() < toolShare) {
      for (let left = 1 + random.below(4); left > 0; left--) {
        const ids = Array.from({ length: random.next() < 0.2 ? 2 : 1 }, () => `call_${++serial}`);
        const calls = ids.map((id) => ({
          id,
          name: "bash",
          input: `{"command":"sed -n ${serial},+40p src/module-${serial % 97}.ts"}`,
        }));
        steps.push({ kind: "assistant", pieces: random.next() < 0.5 ? say(pools.short) : [], calls });
        const results = ids.map((callId) => ({
          callId,
          name: "bash",
          pieces: say(random.next() < 0.1 ? pools.large : pools.output),
        }));
        steps.push({ kind: "results", results });
        messages += 1 + results.length;
      }
    }
    steps.push({ kind: "assistant", pieces: say(pools.answer), calls: [] });
    messages += 1;
  }
  return { system, steps };
}

/** A few dozen texts of each sort; the conversation repeats them, which is what makes it quick to build. */
function writePools(seed: number) {
  const pool = (size: number, chars: number, kinds: readonly TextKind[]) =>
    Array.from({ length: size }, (_, index) =>
      writeText({
        kind: kinds[index % kinds.length]!,
        seed: seed * 1_000 + index,
        chars: Math.ceil(chars * (0.5 + index / size)),
      }),
    );
  return {
    facts: pool(24, 180, ["facts"]),
    prose: pool(32, 260, ["prose", "prose", "chinese", "emoji"]),
    short: pool(16, 90, ["prose"]),
    answer: pool(32, 900, ["prose", "code", "prose", "russian"]),
    output: pool(32, 1_400, ["log", "code", "json"]),
    large: pool(8, 16_000, ["log", "json"]),
  };
}
