/** Shorter ones are copied to another thread faster than memory is set apart for sharing. */
const minShared = 1024 * 1024;

/** Room for a request's bytes. Long ones can be read by other threads where they are: copying 30 MB holds up everybody. */
export function allocateBytes(length: number): Buffer {
  return length < minShared ? Buffer.allocUnsafe(length) : Buffer.from(new SharedArrayBuffer(length));
}
