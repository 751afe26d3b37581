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

/**
 * What of a caller's request travels to an upstream: what providers and their SDKs define. Everything else says who the
 * caller is to us, how they reached us, or nobody knows what; an upstream's own headers are in its configuration.
 */
const passedOn = new Set([
  ...["accept", "accept-language", "content-type", "user-agent", "idempotency-key"],
  ...["x-app", "x-request-id", "x-client-request-id", "x-goog-api-client", "http-referer", "x-title"],
  ...["session-id", "session_id", "thread-id", "conversation_id", "x-session-id", "x-session-affinity"],
  ...[
    "x-claude-code-session-id",
    "originator",
    "version",
    "chatgpt-account-id",
    "x-initiator",
    "copilot-integration-id",
    "editor-version",
    "editor-plugin-version",
    "x-github-api-version",
  ],
]);
const passedOnPrefix = /^(anthropic-|openai-|x-stainless-|x-codex-|x-openai-|x-openrouter-|x-grok-|x-dashscope-)/;

/** Headers as Node gives them: a repeated one may be a list. */
type RawHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The part of a caller's headers that may travel to an upstream. Credentials never do; the upstream has its own. */
export function forwardableHeaders(headers: RawHeaders): Record<string, string> {
  return keep(headers, isForwardable);
}

/** An upstream's response headers as the rest of Midfold may see them. */
export function responseHeaders(headers: RawHeaders): Record<string, string> {
  return keep(headers, isShown);
}

/** The headers that are sent: the request's, then the upstream's own on top, and no compression. */
export function requestHeaders(
  request: Readonly<Record<string, string>> | undefined,
  upstream: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const merged: Record<string, string> = {};
  addSendable(merged, request);
  addSendable(merged, upstream);
  // Unpacking takes time for every answer; those that come packed all the same are unpacked.
  merged["accept-encoding"] = "identity";
  merged["user-agent"] ??= "midfold";
  return merged;
}

function addSendable(merged: Record<string, string>, headers: Readonly<Record<string, string>> | undefined): void {
  for (const name in headers) {
    const { lower, verdict } = isSendable(name);
    if (verdict) merged[lower] = headers[name] as string;
  }
}

const ownBusiness: ReadonlySet<string> = new Set(["set-cookie", "set-cookie2", "alt-svc"]);
const isForwardable = judge((name) => !hopByHop.has(name) && (passedOn.has(name) || passedOnPrefix.test(name)));
const isSendable = judge((name) => !hopByHop.has(name) && name !== "cookie");
const isShown = judge((name) => !hopByHop.has(name) && !ownBusiness.has(name));

interface Verdict {
  readonly lower: string;
  readonly verdict: boolean;
}

/** The same few names come with every request; each is put in lower case and judged once. */
function judge(rule: (lower: string) => boolean): (name: string) => Verdict {
  const judged = new Map<string, Verdict>();
  return (name) => {
    const known = judged.get(name);
    if (known !== undefined) return known;
    const lower = name.toLowerCase();
    const made = { lower, verdict: rule(lower) };
    if (judged.size < maxJudged) judged.set(name, made);
    return made;
  };
}

const maxJudged = 500;

function keep(headers: RawHeaders, rule: (name: string) => Verdict): Record<string, string> {
  const named = namedByConnection(headers);
  const kept: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined) continue;
    const { lower, verdict } = rule(name);
    if (!verdict || named?.has(lower) === true) continue;
    kept[lower] = typeof value === "string" ? value : value.join(", ");
  }
  return kept;
}

/** Headers that the `connection` header declares to be about the connection too. */
function namedByConnection(headers: RawHeaders): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined;
  for (const name in headers) {
    if (name.length !== connection.length || name.toLowerCase() !== connection) continue;
    const value = String(headers[name] ?? "");
    if (usual.has(value)) continue;
    named ??= new Set();
    for (const part of value.split(",")) named.add(part.trim().toLowerCase());
  }
  return named;
}

const connection = "connection";
/** Values that name no header. */
const usual: ReadonlySet<string> = new Set(["keep-alive", "close", ""]);
