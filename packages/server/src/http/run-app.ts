import type { Hono } from "hono";
import type { LoadLimiter } from "../guard/load-limits.ts";
import type { InboundRequest, Reply } from "./exchange.ts";

/** Hands a request to a Hono app and takes its response as a reply, so that every route passes the same gate. */
export async function runApp<TEnv extends { Bindings: object }>(
  app: Hono<TEnv>,
  request: InboundRequest,
  options: { readonly bindings: TEnv["Bindings"]; readonly maxBodyBytes: number; readonly load: LoadLimiter },
): Promise<Reply> {
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
    response = await app.fetch(
      new Request(`http://localhost${request.path}${query}`, {
        method: request.method,
        headers,
        signal: request.signal,
        ...(body === undefined || body.byteLength === 0 ? {} : { body: body as Uint8Array<ArrayBuffer> }),
      }),
      options.bindings,
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
