import type { Atom } from "../atoms/atom.ts";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { PairMatcher, type ToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Format } from "../formats/format.ts";
import { GrowingChain } from "../message/hash-chain.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/** A conversation through all that is done to it: its end may be taken back and said differently, again and again. */
export interface Line {
  latest: Pick<WeakRef<Reading>, "deref">;
}

/** What keeps the newest reading of a line alive, for as long as somebody has it. */
export interface Holder {
  reading: Reading;
}

/**
 * A conversation as it was last read, message by message: what each wire object said, weighed, hashed and paired. It only
 * ever grows; whoever holds on to a length keeps getting the answers of that length.
 */
export class Reading {
  readonly format: Format;
  readonly wire: object[] = [];
  readonly messages: Message[] = [];
  readonly line: Line;
  readonly holder: Holder;
  #chain = new GrowingChain();
  #matcher = new PairMatcher();
  #pairs: ToolPairs | undefined;
  #atoms: readonly Atom[] = [];
  readonly #weights = new WeakMap<TokenCounter, number[]>();

  /** The first of its line, or the one that takes over from `earlier`. */
  constructor(format: Format, earlier?: Reading) {
    this.format = format;
    // Cloudflare workers of before May 2025 have none: what was read is then read again.
    const latest = typeof WeakRef === "undefined" ? { deref: () => undefined } : new WeakRef<Reading>(this);
    this.line = earlier?.line ?? { latest };
    this.line.latest = latest;
    this.holder = earlier?.holder ?? { reading: this };
    this.holder.reading = this;
  }

  add(wire: object, message: Message): void {
    this.wire.push(wire);
    this.messages.push(message);
  }

  /** This reading when it is exactly so long, else the next of its line: it starts the same and may go on differently. */
  upTo(count: number): Reading {
    if (count === this.messages.length) return this;
    const reading = new Reading(this.format, this);
    for (let index = 0; index < count; index++) reading.add(this.wire[index]!, this.messages[index]!);
    reading.#chain = this.#chain.upTo(count);
    return reading;
  }

  /** One hash over the first `count` messages. */
  prefix(count: number): string {
    return this.#chain.prefix(this.messages, count);
  }

  /** The atoms of as many messages as there are weights. */
  atoms(weights: readonly number[]): readonly Atom[] {
    const messages = this.messages.length === weights.length ? this.messages : this.messages.slice(0, weights.length);
    this.#atoms = groupAtoms(messages, weights, this.pairs(weights.length), this.#atoms);
    return this.#atoms;
  }

  pairs(count: number): ToolPairs {
    if (this.#pairs?.reach.length === count) return this.#pairs;
    if (this.#matcher.count > count) this.#matcher = new PairMatcher();
    for (let index = this.#matcher.count; index < count; index++) this.#matcher.add(this.messages[index]!);
    this.#pairs = this.#matcher.pairs();
    return this.#pairs;
  }

  /**
   * Tokens of each of the first `count` messages, remembered under `counter` where it says that they will not change.
   * `counts` stands in for it where its counting is guarded.
   */
  weights(counts: TokenCounter, count: number, counter = counts): number[] {
    const weights = this.#weights.get(counter)?.slice(0, count) ?? [];
    if (weights.length === count) return weights;
    for (let index = weights.length; index < count; index++) weights.push(counts.countMessage(this.messages[index]!));
    if (counts.steady === true) this.#weights.set(counter, weights.slice());
    return weights;
  }
}
