import { randomFillSync } from "node:crypto";

const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
const idLength = 24;

/** A source of request ids in the form both protocols use: `req_` and 24 characters. Never taken from the client. */
export function createRequestIds(): () => string {
  // Random bytes are drawn 256 ids at a time: one system call per request would be measurable.
  const pool = Buffer.alloc(idLength * 256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    let id = "req_";
    for (const end = used + idLength; used < end; used++) id += alphabet[(pool[used] as number) & 63];
    return id;
  };
}
