import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** Signs a text, so that it is believed when it comes back word for word. */
export type Sign = (text: string) => string;

/**
 * Signs under a secret. In a file of its own: only who gives a secret loads it.
 *
 * @example frame({ kind: "digest", text: "- user: Use tabs.", covers: 12, sign: signWith("a secret of 16 characters") });
 */
export function signWith(secret: string): Sign {
  const encoder = new TextEncoder();
  const key = encoder.encode(secret);
  return (text) => {
    const mac = hmac(sha256, key, encoder.encode(text)).subarray(0, 16);
    return Array.from(mac, (byte) => byte.toString(16).padStart(2, "0")).join("");
  };
}
