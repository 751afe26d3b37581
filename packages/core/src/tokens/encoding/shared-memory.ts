// Memory that worker threads can read without a copy, where the platform allows it. A browser page that is not
// isolated has none, and gets ordinary memory.
const allocate = (bytes: number): ArrayBufferLike =>
  typeof SharedArrayBuffer === "undefined" ? new ArrayBuffer(bytes) : new SharedArrayBuffer(bytes);

export const sharedInts = (length: number): Int32Array => new Int32Array(allocate(length * 4));
export const sharedBytes = (length: number): Uint8Array => new Uint8Array(allocate(length));
export const sharedShorts = (length: number): Uint16Array => new Uint16Array(allocate(length * 2));
