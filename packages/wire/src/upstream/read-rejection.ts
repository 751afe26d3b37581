import { type ErrorCode, MidfoldError } from "@midfold/core";
import type { AnswerBody } from "./answer-body.ts";
import { readRetryAfter } from "./retry-policy.ts";
import type { UpstreamResponse } from "./upstream.ts";

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

/** The error for an answer outside 2xx, whose body is read here. Secrets of the upstream are cut from what is quoted. */
export async function readRejection(
  response: UpstreamResponse,
  secrets: readonly string[] = [],
): Promise<MidfoldError> {
  const { upstream, status } = response;
  const text = await readText(response.body, 64 * 1024).catch(() => "");
  const code = codeOf(status);
  const excerpt = redactedExcerpt(text, secrets);
  const retryAfterMs = readRetryAfter(response.headers, Date.now());
  return new MidfoldError(
    code,
    `The upstream "${upstream}" answered ${status}${excerpt === "" ? "." : `: ${excerpt}`}`,
    {
      // A request the upstream calls wrong is wrong for the caller too; its other troubles are not the caller's.
      ...(code === "UPSTREAM_REJECTED" && status >= 400 && status < 500 ? { status } : {}),
      details: { upstream, status, body: excerpt, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
    },
  );
}

function codeOf(status: number): ErrorCode {
  if (status === 401 || status === 403) return "UPSTREAM_CREDENTIALS";
  if (status === 429) return "UPSTREAM_RATE_LIMITED";
  if (status === 408 || status === 504) return "UPSTREAM_TIMEOUT";
  return status >= 500 ? "UPSTREAM_OVERLOADED" : "UPSTREAM_REJECTED";
}
