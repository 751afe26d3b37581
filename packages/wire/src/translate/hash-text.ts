import { createHash } from "node:crypto";

/** The first `length` hexadecimal digits of the text's SHA-256. */
export function hashText(text: string, length = 64): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}
