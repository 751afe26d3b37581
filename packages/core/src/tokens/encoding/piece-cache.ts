import { layout } from "./vocabulary.ts";

const { lowMasks } = layout;

const indexBits = 16;
const firstWords = 65_536;
const mostWords = 262_144;
const maxEntries = 1 << (indexBits - 1);

/**
 * Remembers how many tokens a piece has that is no token itself. Pieces are laid end to end in one array; when that is
 * full everything is forgotten, which costs less than keeping order.
 */
export class PieceCache {
  readonly #index = new Int32Array(1 << indexBits);
  #store = new Int32Array(firstWords);
  #used = 1;
  #entries = 0;

  /** The count of a piece up to 255 bytes long, or 0 where it is not known. */
  get(view: DataView, at: number, length: number, hash: number): number {
    const store = this.#store;
    const index = this.#index;
    const mask = index.length - 1;
    const last = at + length - 4;
    for (let slot = hash >>> (32 - indexBits); ; slot = (slot + 1) & mask) {
      let word = index[slot]!;
      if (word === 0) return 0;
      const head = store[word++]!;
      if ((head & 0xff) !== length) continue;
      let offset = at;
      while (offset <= last && store[word] === view.getInt32(offset, true)) {
        word++;
        offset += 4;
      }
      if (offset <= last) continue;
      const rest = last + 4 - offset;
      if (rest === 0 || store[word] === (view.getInt32(offset, true) & lowMasks[rest]!)) return head >>> 8;
    }
  }

  /** Adds a piece that is not there yet. */
  set(view: DataView, at: number, length: number, hash: number, count: number): void {
    if (this.#entries === maxEntries || this.#used + 2 + (length >>> 2) > this.#store.length) this.#makeRoom();
    const store = this.#store;
    const index = this.#index;
    let slot = hash >>> (32 - indexBits);
    while (index[slot] !== 0) slot = (slot + 1) & (index.length - 1);
    let word = this.#used;
    index[slot] = word;
    store[word++] = length | (count << 8);
    const last = at + length - 4;
    let offset = at;
    for (; offset <= last; offset += 4) store[word++] = view.getInt32(offset, true);
    if (offset < last + 4) store[word++] = view.getInt32(offset, true) & lowMasks[last + 4 - offset]!;
    this.#used = word;
    this.#entries++;
  }

  #makeRoom(): void {
    if (this.#entries < maxEntries && this.#store.length < mostWords) {
      const store = new Int32Array(this.#store.length * 2);
      store.set(this.#store);
      this.#store = store;
      return;
    }
    this.#index.fill(0);
    this.#used = 1;
    this.#entries = 0;
  }
}
