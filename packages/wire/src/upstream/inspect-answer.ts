import { MidfoldError } from "@midfold/core";
import type { FailedAttempt } from "./attempt-error.ts";
import type { Answer } from "./dispatch-once.ts";
import { readText, redactedExcerpt } from "./read-text.ts";
import type { Upstream, UpstreamRequest } from "./upstream.ts";

/** What one try came to. */
export type Tried =
  | { readonly answer: Answer; readonly failed?: never }
  | { readonly answer?: never; readonly failed: FailedAttempt };

/** Answers that no caller could use become failures here, while they can still be retried. */
export function inspectAnswer(upstream: Upstream, request: UpstreamRequest, answer: Answer): Tried | Promise<Tried> {
  const { status, headers } = answer;
  const { expects } = request;
  if (status >= 300 && status < 400) {
    return letGo(
      answer,
      upstream,
      `answered ${status}: redirects are not followed. Put the final address into its base URL.`,
    );
  }
  const encoding = headers["content-encoding"]?.toLowerCase();
  if (encoding !== undefined && encoding !== "identity") {
    return letGo(answer, upstream, `answered with the content encoding "${encoding}" though none was offered.`);
  }
  if (status < 200 || status >= 300 || expects === undefined) return { answer };
  if (answer.empty) {
    // An answer without content was not work we could be billed twice for.
    const error = brokenError(upstream.name, status, `answered ${status} with nothing in it.`, true);
    return { failed: { error, sent: false } };
  }
  const type = mediaType(headers["content-type"] ?? "");
  return expects.includes(type) ? { answer } : unexpected(upstream, answer, type, expects);
}

async function letGo({ status, body }: Answer, upstream: Upstream, why: string): Promise<Tried> {
  await body.cancel();
  return { failed: { error: brokenError(upstream.name, status, why, false), sent: true } };
}

async function unexpected(
  upstream: Upstream,
  { status, body }: Answer,
  type: string,
  expects: readonly string[],
): Promise<Tried> {
  const text = await readText(body, 2_048).catch(() => "");
  const excerpt = redactedExcerpt(text, Object.values(upstream.headers ?? {}));
  const why = `answered with "${type}" instead of ${expects.join(" or ")}: ${excerpt}`;
  return { failed: { error: brokenError(upstream.name, status, why, false), sent: true } };
}

function mediaType(header: string): string {
  const end = header.indexOf(";");
  return (end === -1 ? header : header.slice(0, end)).trim().toLowerCase();
}

function brokenError(upstream: string, status: number, why: string, retryable: boolean): MidfoldError {
  return new MidfoldError("UPSTREAM_BROKEN", `The upstream "${upstream}" ${why}`, {
    retryable,
    details: { upstream, status },
  });
}
