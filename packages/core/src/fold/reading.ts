import type { Atom } from "../atoms/atom.ts";
import { groupAtoms } from "../atoms/group-atoms.ts";
import { PairMatcher, type ToolPairs } from "../atoms/match-tool-pairs.ts";
import type { Format } from "../formats/format.ts";
import { GrowingChain } from "../message/hash-chain.ts";
import type { Message } from "../message/message.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";

/**
 * Where the newest reading of a conversation is found. A user may edit or resend earlier messages, so readings can share a
 * start and then differ; all readings of one conversation share this pointer. It does not keep the reading in memory.
 */
export interface LatestReading {
  reading: Pick<WeakRef<Reading>, "deref">;
}

/** The same pointer, for whoever is to keep the newest reading in memory. */
export interface KeptReading {
  reading: Reading;
}

/**
 * A conversation as it was last read: the message of each wire object, with weights, hashes and tool pairs. Messages are
 * only ever added, so an answer for the first `count` messages stays true.
 */
export class Reading {
  readonly format: Format;
  readonly wire: object[] = [];
  readonly messages: Message[] = [];
  readonly latest: LatestReading;
  readonly kept: KeptReading;
  #chain = new GrowingChain();
  #matcher = new PairMatcher();
  #pairs: ToolPairs | undefined;
  #atoms: readonly Atom[] = [];
  readonly #weights = new WeakMap<TokenCounter, number[]>();

  /** The first reading of a conversation, or the one that follows `earlier`. */
  constructor(format: Format, earlier?: Reading) {
    this.format = format;
    // Cloudflare workers from before May 2025 have no WeakRef: there every conversation is read anew.
    const weak = typeof WeakRef === "undefined" ? { deref: () => undefined } : new WeakRef<Reading>(this);
    this.latest = earlier?.latest ?? { reading: weak };
    this.latest.reading = weak;
    this.kept = earlier?.kept ?? { reading: this };
    this.kept.reading = this;
  }

  add(wire: object, message: Message): void {
    this.wire.push(wire);
    this.messages.push(message);
  }

  /** This reading when it has exactly `count` messages, else a new one with the first `count` of them. */
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
