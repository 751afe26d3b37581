import type { Hono } from "hono";
import type { LoadLimiter } from "../guard/load-limits.ts";
import type { HttpReply, InboundRequest } from "../http/http-message.ts";

interface RunAppOptions<TEnv extends { Bindings: object }> {
  readonly bindings: TEnv["Bindings"];
  readonly maxBodyBytes: number;
  readonly load: LoadLimiter;
  /** Reads long bodies of JSON without holding up others; the app finds what they say in its binding `json`. */
  readonly readLong?: (bytes: Uint8Array, signal: AbortSignal) => Promise<unknown>;
}

/** Longer bodies take more than a moment to parse. */
const longBytes = 1024 * 1024;

/** Hands a request to a Hono app and takes its response as a reply, so that every route passes the same gate. */
export async function runApp<TEnv extends { Bindings: object }>(
  app: Hono<TEnv>,
  request: InboundRequest,
  options: RunAppOptions<TEnv>,
): Promise<HttpReply> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined && !name.startsWith(":"))
      headers.set(name, typeof value === "string" ? value : value.join(", "));
  }
  const withBody = request.method !== "GET" && request.method !== "HEAD";
  const query = request.query === "" ? "" : `?${request.query}`;
  const { upTo, release } = options.load.holdBytes(0);
  let response: Response;
  try {
    const body = withBody ? await request.readBody(options.maxBodyBytes, upTo) : undefined;
    const isLong = body !== undefined && body.byteLength > longBytes && isJson(headers);
    const json = isLong ? await options.readLong?.(body, request.signal) : undefined;
    response = await app.fetch(
      new Request(`http://localhost${request.path}${query}`, {
        method: request.method,
        headers,
        signal: request.signal,
        ...(body === undefined || body.byteLength === 0 || json !== undefined ? {} : { body: ownBytes(body) }),
      }),
      json === undefined ? options.bindings : { ...options.bindings, json },
    );
  } finally {
    release();
  }
  const replyHeaders: Record<string, string> = {};
  for (const [name, value] of response.headers) replyHeaders[name] = value;
  delete replyHeaders["content-length"];
  return {
    status: response.status,
    headers: replyHeaders,
    ...(response.body === null ? {} : { body: response.body as AsyncIterable<Uint8Array> }),
  };
}

function isJson(headers: Headers): boolean {
  return headers.get("content-type")?.includes("json") === true;
}

/** A standard request does not take bytes that threads share. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return (bytes.buffer instanceof ArrayBuffer ? bytes : Uint8Array.from(bytes)) as Uint8Array<ArrayBuffer>;
}
