export interface TextCacheStatistics {
  readonly hits: number;
  readonly misses: number;
  readonly entries: number;
  readonly bytes: number;
}

/**
 * Remembers a number per text, within a bound in bytes. Two generations stand in for exact least-recently-used order:
 * when the young one is half the bound it becomes the old one, and what is asked for again moves back. That keeps both
 * reading and writing at one map access, with no lists to relink.
 */
export class TextCache {
  readonly #maxBytes: number;
  #young = new Map<string, number>();
  #old = new Map<string, number>();
  #youngBytes = 0;
  #oldBytes = 0;
  #hits = 0;
  #misses = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(text: string): number | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) {
      this.#hits++;
      return young;
    }
    const old = this.#old.get(text);
    if (old === undefined) {
      this.#misses++;
      return undefined;
    }
    this.#hits++;
    this.set(text, old);
    return old;
  }

  /** Whether the text has a value, without counting as a use of it. */
  peek(text: string): number | undefined {
    return this.#young.get(text) ?? this.#old.get(text);
  }

  set(text: string, value: number): void {
    const bytes = bytesOf(text);
    const half = this.#maxBytes / 2;
    if (bytes > this.#maxBytes) return;
    if (this.#young.has(text)) {
      this.#young.set(text, value);
      return;
    }
    if (this.#youngBytes > 0 && this.#youngBytes + bytes > half) {
      this.#old = this.#young;
      this.#oldBytes = this.#youngBytes;
      this.#young = new Map();
      this.#youngBytes = 0;
      // One text larger than half the bound leaves no room for the others.
      if (this.#oldBytes + bytes > this.#maxBytes) {
        this.#old = new Map();
        this.#oldBytes = 0;
      }
    }
    this.#young.set(text, value);
    this.#youngBytes += bytes;
  }

  statistics(): TextCacheStatistics {
    return {
      hits: this.#hits,
      misses: this.#misses,
      entries: this.#young.size + this.#old.size,
      bytes: this.#youngBytes + this.#oldBytes,
    };
  }
}

/** Two bytes a code unit, and about what a map entry and a string header take. */
const bytesOf = (text: string) => text.length * 2 + 64;
