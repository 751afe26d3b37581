import { avalanche, fingerprintLanes, type Lanes, toHex } from "./fingerprint.ts";
import type { Message } from "./message.ts";

/**
 * One hash per message, each covering everything up to and including it. Two conversations share a value exactly when
 * they share that whole prefix, which is how a client that resends its history meets its earlier folds.
 *
 * @example const isPrefix = hashChain(longer)[messages.length - 1] === hashChain(messages).at(-1);
 */
export function hashChain(messages: readonly Message[]): string[] {
  const lanes = start();
  return messages.map((message) => toHex(step(lanes, message)));
}

/** The chain of a conversation that grows: each message is hashed in once, and every prefix is remembered. */
export class GrowingChain {
  readonly #a: number[] = [];
  readonly #b: number[] = [];

  /** The value after the first `count` of these messages, whose beginning must be the one of earlier questions. */
  prefix(messages: readonly Message[], count: number): string {
    if (count === 0) return toHex(start());
    const known = this.#a.length;
    const lanes: Lanes = known === 0 ? start() : { a: this.#a[known - 1]!, b: this.#b[known - 1]! };
    for (let index = known; index < count; index++) {
      step(lanes, messages[index]!);
      this.#a.push(lanes.a);
      this.#b.push(lanes.b);
    }
    return toHex({ a: this.#a[count - 1]!, b: this.#b[count - 1]! });
  }

  /** A chain of its own that knows the first `count` values already. */
  upTo(count: number): GrowingChain {
    const chain = new GrowingChain();
    const known = Math.min(count, this.#a.length);
    for (let index = 0; index < known; index++) {
      chain.#a.push(this.#a[index]!);
      chain.#b.push(this.#b[index]!);
    }
    return chain;
  }
}

const start = (): Lanes => ({ a: 0x243f6a88, b: 0x13198a2e });

function step(lanes: Lanes, message: Message): Lanes {
  const { a, b } = fingerprintLanes(message);
  const mixed = avalanche(Math.imul(lanes.a ^ a, 0x9e3779b1) ^ lanes.b);
  lanes.b = avalanche(Math.imul(lanes.b ^ b, 0x85ebca77) ^ mixed);
  lanes.a = mixed;
  return lanes;
}
