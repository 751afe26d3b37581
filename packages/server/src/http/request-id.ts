import { randomFillSync } from "node:crypto";

const alphabet = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_");
const prefix = "req_";
const idLength = prefix.length + 24;

/** A source of request ids in the form both protocols use: `req_` and 24 characters. Never taken from the client. */
export function createRequestIds(): () => string {
  // Drawn 256 at a time: one system call per request would be measurable.
  const pool = Buffer.alloc(idLength * 256);
  let used = pool.length;
  return () => {
    if (used === pool.length) {
      randomFillSync(pool);
      for (let at = 0; at < pool.length; at++) pool[at] = alphabet[(pool[at] as number) & 63] as number;
      for (let at = 0; at < pool.length; at += idLength) pool.write(prefix, at, "latin1");
      used = 0;
    }
    used += idLength;
    return pool.toString("latin1", used - idLength, used);
  };
}
