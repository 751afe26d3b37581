import type { ServerResponse } from "node:http";
import type { Reply } from "./http-message.ts";

export interface WriteOptions {
  /** A client that takes nothing for this long is dropped, so that it cannot hold an upstream open. */
  readonly drainTimeoutMs: number;
}

/**
 * Sends a reply through Node, reading the body only as fast as the client does. Resolves when all is handed over; a reply
 * in one piece is handed over at once.
 */
export function writeReply(response: ServerResponse, reply: Reply, options: WriteOptions): Promise<void> | undefined {
  if (response.destroyed || response.headersSent) return discard(reply);
  const { body } = reply;
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
    const length = typeof body === "string" ? Buffer.byteLength(body) : (body?.byteLength ?? 0);
    // Text goes out together with the head, in one write.
    response.writeHead(reply.status, headerList(reply, length));
    response.end(body);
    return undefined;
  }
  response.writeHead(reply.status, headerList(reply, undefined));
  // The first chunk may be long in coming; the client should see the headers now.
  response.flushHeaders();
  return writePieces(response, body, options);
}

/** Names and values one after the other: the form Node takes without another copy. */
function headerList({ headers, close }: Reply, length: number | undefined): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] as string);
  if (close === true) list.push("connection", "close");
  if (length !== undefined) list.push("content-length", String(length));
  return list;
}

async function writePieces(
  response: ServerResponse,
  body: AsyncIterable<Uint8Array | string>,
  options: WriteOptions,
): Promise<void> {
  try {
    for await (const chunk of body) {
      if (response.destroyed) break;
      if (!response.write(chunk)) await drained(response, options);
    }
    response.end();
  } catch (error) {
    // Whoever writes the body turns failures into the protocol's own error event. What still arrives here must never
    // look like a clean end.
    response.destroy();
    throw error;
  }
}

async function discard(reply: Reply): Promise<void> {
  const { body } = reply;
  if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return;
  await body[Symbol.asyncIterator]().return?.();
}

function drained(response: ServerResponse, options: WriteOptions): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      response.off("drain", done);
      response.off("close", done);
      resolve();
    };
    const timer = setTimeout(() => {
      response.destroy();
      done();
    }, options.drainTimeoutMs);
    response.on("drain", done);
    response.on("close", done);
  });
}
