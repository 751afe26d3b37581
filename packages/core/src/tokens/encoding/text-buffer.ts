const encoder = new TextEncoder();

/** What may be read past the end: up to four whole words. */
const padding = 16;
const firstBytes = 131_072;
/** What is kept for the next text even after an unusually long one. */
const keptBytes = 2_097_152;
const shortText = 40;

/**
 * One text as UTF-8, in memory that the next text uses again. A lone surrogate becomes U+FFFD, as everywhere else that
 * text becomes bytes.
 */
export class TextBuffer {
  bytes = new Uint8Array(firstBytes);
  view = new DataView(this.bytes.buffer);

  /** Fills `bytes` with a part of the text and NULs behind it; returns where it ends. */
  fill(text: string, from: number, to: number): number {
    const length = to - from;
    let end = length <= shortText ? this.#fillAscii(text, from, to) : -1;
    if (end < 0) end = this.#encode(length === text.length ? text : text.slice(from, to));
    this.view.setInt32(end, 0);
    this.view.setInt32(end + 4, 0);
    return end;
  }

  /** Gives back what an unusually long text took. */
  trim(): void {
    if (this.bytes.length <= keptBytes) return;
    this.bytes = new Uint8Array(0);
    this.#resize(firstBytes);
  }

  /** Most text is mostly ASCII, so room is made for that, and for more only when it turns out to be needed. */
  #encode(text: string): number {
    if (this.bytes.length < text.length + padding) this.#resize(text.length + padding);
    const { read, written } = encoder.encodeInto(text, this.bytes.subarray(0, this.bytes.length - padding));
    if (read === text.length) return written;
    this.#resize(written + (text.length - read) * 3 + padding);
    return written + encoder.encodeInto(text.slice(read), this.bytes.subarray(written)).written;
  }

  /** The call into the platform takes longer than a short text. */
  #fillAscii(text: string, from: number, to: number): number {
    const { bytes } = this;
    for (let at = from; at < to; at++) {
      const unit = text.charCodeAt(at);
      if (unit >= 0x80) return -1;
      bytes[at - from] = unit;
    }
    return to - from;
  }

  #resize(length: number): void {
    const { bytes } = this;
    this.bytes = new Uint8Array(length);
    this.bytes.set(bytes.subarray(0, length));
    this.view = new DataView(this.bytes.buffer);
  }
}

/** How many UTF-16 units the first `length` bytes are; a character cut in two does not count. */
export function unitsIn(bytes: Uint8Array, length: number): number {
  let units = 0;
  for (let at = 0; at < length; ) {
    const first = bytes[at]!;
    const width = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (at + width > length) break;
    units += width === 4 ? 2 : 1;
    at += width;
  }
  return units;
}
