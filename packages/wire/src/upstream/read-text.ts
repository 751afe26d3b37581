import type { AnswerBody } from "./answer-body.ts";

const excerptLength = 200;

/** Reads a body as text up to a limit, then lets go of the rest. */
export async function readText(body: AnswerBody, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    // A short answer is often there with its first byte.
    const rest = body.readRest();
    if (rest !== undefined) {
      const text = decodeText([...chunks, ...rest]);
      return text.length > maxBytes ? text.slice(0, maxBytes) : text;
    }
    const chunk = await body.read();
    if (chunk === undefined) return decodeText(chunks);
    chunks.push(chunk);
    bytes += chunk.byteLength;
    if (bytes < maxBytes) continue;
    await body.cancel();
    return decodeText(chunks).slice(0, maxBytes);
  }
}

/** The text of bytes that came in pieces. */
export function decodeText(chunks: readonly Uint8Array[]): string {
  const [first] = chunks;
  if (first === undefined) return "";
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  // A byte order mark is no part of the text, as a decoder would have it.
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, bytes.byteLength - start).toString("utf8");
}

/** A text without the given secrets and without anything else that looks like a credential. */
export function redactSecrets(text: string, secrets: readonly string[] = []): string {
  let safe = text;
  for (const secret of secrets.flatMap((value) => [value, value.replace(/^(Bearer|Basic)\s+/i, "")])) {
    if (secret.length >= 6) safe = safe.replaceAll(secret, "[secret]");
  }
  return safe
    .replaceAll(/\b(Bearer|Basic)\s+[\w.~+/=-]{6,}/gi, "$1 [secret]")
    .replaceAll(/\b(sk|pk|rk|gsk|xai|key|AIza|ghp|hf)[-_]?[A-Za-z0-9][\w-]{14,}/g, "[secret]");
}

/** The start of a redacted text, on one line. */
export function redactedExcerpt(text: string, secrets: readonly string[] = []): string {
  const safe = redactSecrets(text.slice(0, 20_000), secrets).replaceAll(/\s+/g, " ").trim();
  return safe.length > excerptLength ? `${safe.slice(0, excerptLength)}…`.toWellFormed() : safe;
}
