import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomBytes, randomFillSync } from "node:crypto";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { MidfoldError } from "@midfold/core";

/** Encrypts what must not be readable in the database or a copy of it. The key is never in the database. */
export interface Seal {
  /** `place` says what the text is and whose; it can only be opened with the same `place`. */
  close(text: string, place: readonly string[]): string;
  open(sealed: string, place: readonly string[]): string;
}

/** Which encryption is used for what. */
export interface Seals {
  /** For keys that people entered; undefined where no permanent secret was given. */
  readonly keys: Seal | undefined;
  /** For what can be made again, since this secret may be derived from something that changes. */
  readonly records: Seal;
}

const version = "s1";
const nonceBytes = 12;
const tagBytes = 16;
const shortestSecret = 16;

/** AES-256-GCM with a key made from the secret. */
export function createSeal(secret: string): Seal {
  if (secret.length < shortestSecret) {
    throw new MidfoldError("INVALID_CONFIG", `MIDFOLD_SECRET must have at least ${shortestSecret} characters.`);
  }
  // Made once: a key given as bytes is read anew for every record.
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "midfold", "seal", 32)));
  const nextNonce = createNonces();
  return {
    close(text, place) {
      const nonce = nextNonce();
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(spell(place));
      const body = [cipher.update(text, "utf8"), cipher.final()];
      return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), ...body]).toString("base64url")}`;
    },
    open(sealed, place) {
      const [mark, encoded = ""] = sealed.split(".");
      const bytes = Buffer.from(encoded, "base64url");
      if (mark !== version || bytes.length < nonceBytes + tagBytes) throw unreadable(undefined);
      try {
        const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, nonceBytes));
        decipher.setAAD(spell(place)).setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
        const body = decipher.update(bytes.subarray(nonceBytes + tagBytes));
        return Buffer.concat([body, decipher.final()]).toString("utf8");
      } catch (cause) {
        throw unreadable(cause);
      }
    },
  };
}

/** Random bytes that were never given out before, drawn for many records at once: one draw costs as much as many. */
function createNonces(): () => Uint8Array {
  const drawn = Buffer.alloc(nonceBytes * 256);
  let used = drawn.length;
  return () => {
    if (used === drawn.length) {
      randomFillSync(drawn);
      used = 0;
    }
    used += nonceBytes;
    return Uint8Array.prototype.slice.call(drawn, used - nonceBytes, used);
  };
}

/** As JSON, so that two different places never give the same bytes. */
function spell(place: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(place));
}

function unreadable(cause: unknown): MidfoldError {
  return new MidfoldError(
    "STORE_UNSAFE",
    "What is stored here was encrypted with another secret. Start with the secret it was written with, or enter it again.",
    { cause },
  );
}

/** The secret in this file, readable by its owner only; made when there is none yet. */
export function secretFile(path: string): string {
  try {
    writeFileSync(path, `${randomBytes(32).toString("base64url")}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    // Another program that starts at the same time may have just made it.
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new MidfoldError("STORE_UNSAFE", `The secret file ${path} cannot be made. Set MIDFOLD_SECRET instead.`, {
        cause: error,
      });
    }
    chmodSync(path, 0o600);
  }
  const text = readFileSync(path, "utf8").trim();
  if (text.length >= shortestSecret) return text;
  throw new MidfoldError("STORE_UNSAFE", `The secret file ${path} is damaged. Restore it, or set MIDFOLD_SECRET.`);
}
