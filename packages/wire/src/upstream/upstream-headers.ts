/** Headers about one connection, not about the message (RFC 9110 §7.6.1), and those the client sets itself. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
  "expect",
]);

/** What a caller's request must not carry to an upstream: who they are to us, and how they reached us. */
const callerOnly =
  /^(cookie2?|authorization|x-api-key|api-key|x-goog-api-key|accept-encoding|forwarded|via|origin|referer)$/;
const callerOnlyPrefix =
  /^(x-forwarded-|x-real-ip|x-midfold-|x-disable-compression|cf-|sec-|proxy-|x-amzn-|fly-|x-vercel-)/;

/** The part of a caller's headers that may travel to an upstream. Credentials never do; the upstream has its own. */
export function forwardableHeaders(headers: Iterable<readonly [string, string]>): Record<string, string> {
  const kept: Record<string, string> = {};
  let named: ReadonlySet<string> | undefined;
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === "connection") named = namedIn(value, named);
    if (hopByHop.has(lower) || isCallerOnly(lower)) continue;
    kept[lower] = value;
  }
  return withoutNamed(kept, named);
}

// The same few names come with every request; each is judged once.
const judged = new Map<string, boolean>();
const maxJudged = 500;

function isCallerOnly(name: string): boolean {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const verdict = callerOnly.test(name) || callerOnlyPrefix.test(name);
  if (judged.size < maxJudged) judged.set(name, verdict);
  return verdict;
}

/** The headers that are sent: the request's, then the upstream's own on top, and no compression. */
export function requestHeaders(
  request: Readonly<Record<string, string>> | undefined,
  upstream: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const merged: Record<string, string> = {};
  for (const headers of [request, upstream]) {
    for (const [name, value] of Object.entries(headers ?? {})) {
      const lower = name.toLowerCase();
      if (!hopByHop.has(lower) && lower !== "cookie") merged[lower] = value;
    }
  }
  // A compressed answer could not be measured while it passes through, and could be a bomb.
  merged["accept-encoding"] = "identity";
  merged["user-agent"] ??= "midfold";
  return merged;
}

/** An upstream's response headers as the rest of Midfold may see them. */
export function responseHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  let named: ReadonlySet<string> | undefined;
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined) continue;
    const lower = name.toLowerCase();
    const text = typeof value === "string" ? value : value.join(", ");
    if (lower === "connection") named = namedIn(text, named);
    if (!hopByHop.has(lower) && !ownBusiness.has(lower)) kept[lower] = text;
  }
  return withoutNamed(kept, named);
}

const ownBusiness: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "alt-svc"]);

/** Headers that the `connection` header declares to be about the connection too. */
function namedIn(value: string, before: ReadonlySet<string> | undefined): ReadonlySet<string> {
  return new Set([...(before ?? []), ...value.split(",").map((part) => part.trim().toLowerCase())]);
}

function withoutNamed(headers: Record<string, string>, named: ReadonlySet<string> | undefined): Record<string, string> {
  if (named !== undefined) for (const name of named) delete headers[name];
  return headers;
}
