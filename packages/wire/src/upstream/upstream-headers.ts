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
  const all = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const);
  const named = namedByConnection(all);
  return Object.fromEntries(
    all.filter(
      ([name]) => !hopByHop.has(name) && !named.has(name) && !callerOnly.test(name) && !callerOnlyPrefix.test(name),
    ),
  );
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
  const all = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")] as const],
  );
  const named = namedByConnection(all);
  return Object.fromEntries(
    all.filter(([name]) => !hopByHop.has(name) && !named.has(name) && !/^set-cookie2?$|^alt-svc$/.test(name)),
  );
}

function namedByConnection(headers: readonly (readonly [string, string])[]): Set<string> {
  return new Set(
    headers
      .filter(([name]) => name === "connection")
      .flatMap(([, value]) => value.split(",").map((part) => part.trim().toLowerCase())),
  );
}
