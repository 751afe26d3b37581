import { MidfoldError } from "@midfold/core";
import type { RequestHead } from "./create-listener.ts";
import type { HttpReply } from "./http-message.ts";

/** A standard `Request` as a request head, for callers in the same process. */
export function fromFetch(request: Request, id: string, controller: AbortController): RequestHead {
  const url = new URL(request.url);
  const headers: Record<string, string> = { host: url.host };
  for (const [name, value] of request.headers) headers[name] = value;
  return {
    id,
    method: request.method,
    target: `${url.pathname}${url.search}`,
    headers,
    headerCount: Object.keys(headers).length,
    remoteAddress: "127.0.0.1",
    startedAt: performance.now(),
    signal: controller.signal,
    controller,
    readBody: async (maxBytes, onBytes) => {
      const bytes = new Uint8Array(await request.arrayBuffer());
      onBytes?.(bytes.byteLength);
      if (bytes.byteLength > maxBytes) {
        throw new MidfoldError("BODY_TOO_LARGE", `The request body is larger than the ${maxBytes} bytes allowed.`);
      }
      return bytes;
    },
  };
}

/** A reply as a standard `Response`; its body is pulled as the caller reads. */
export function toResponse(reply: HttpReply): Response {
  const { body, onEnd } = reply;
  const init = { status: reply.status, headers: { ...reply.headers } };
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    onEnd?.();
    return new Response(reply.status === 204 ? null : ((body ?? null) as BodyInit | null), init);
  }
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new Response(
    new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const next = await iterator.next();
          if (next.done === true) {
            controller.close();
            onEnd?.();
          } else controller.enqueue(typeof next.value === "string" ? encoder.encode(next.value) : next.value);
        } catch (error) {
          onEnd?.();
          controller.error(error);
        }
      },
      cancel: async () => {
        await iterator.return?.();
        onEnd?.();
      },
    }),
    init,
  );
}
