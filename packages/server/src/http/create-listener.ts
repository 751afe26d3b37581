import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { MidfoldError } from "@midfold/core";
import type { HttpReply, InboundRequest } from "./http-message.ts";
import { readBody } from "./read-body.ts";

export interface ListenerLimits {
  readonly headerBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  readonly drainTimeoutMs: number;
  readonly connections: number;
}

/** The head of a request, before its path was checked. */
export interface RequestHead extends Omit<InboundRequest, "path" | "query"> {
  /** Path and query as they were sent. */
  readonly target: string;
}

export interface ListenerOptions {
  readonly limits: ListenerLimits;
  readonly newId: () => string;
  /** Never rejects: every error becomes a reply. */
  readonly handle: (head: RequestHead) => Promise<HttpReply>;
  /** Called for every request, so that shutdown and revocation can end it. */
  readonly onOpen: (controller: AbortController) => () => void;
  readonly onWriteError: (id: string, error: unknown) => void;
}

/** The request whose code is running, so that an error nobody caught ends that request only. */
const current = new AsyncLocalStorage<AbortController>();

/** Ends the request whose code threw an uncaught error; false when there is none. */
export function endCurrentRequest(): boolean {
  const controller = current.getStore();
  controller?.abort(new MidfoldError("INTERNAL", "Something went wrong inside Midfold; the log has the cause."));
  return controller !== undefined;
}

/** The Node side: limits on connections, and requests turned into data and back. */
export function createListener(options: ListenerOptions): Server {
  const { limits } = options;
  const server = createServer(
    {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: limits.headersTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      keepAliveTimeout: limits.keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(2000, limits.headersTimeoutMs),
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: 30_000,
    },
    (request, response) => serve(request, response, options),
  );
  // Counted in `serve`, which can answer with an error; Node would silently drop the rest.
  server.maxHeadersCount = 0;
  giveWayToNewcomers(server, limits.connections);
  server.on("clientError", refuseConnection);
  // Clients that wait for "100 Continue" get it only after the head was accepted.
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response, options, () => response.writeContinue());
  });
  // Node would answer 417 itself, without our headers.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    serve(request, response, options);
  });
  // Without a listener, the first such error (a connection lost before it was accepted) would end the process.
  server.on("error", (error) => options.onWriteError("", error));
  return server;
}

/** When all places are taken, the connection idle for longest is closed; if none is idle, the new one is. */
function giveWayToNewcomers(server: Server, most: number): void {
  const open = new Set<Socket>();
  const busy = new Map<Socket, number>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    if (open.size <= most) return;
    // In order of use: recently used ones are last.
    for (const candidate of open) {
      if (busy.has(candidate)) continue;
      candidate.destroy();
      open.delete(candidate);
      return;
    }
  });
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.on("close", () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) busy.set(socket, left);
      else busy.delete(socket);
      if (open.delete(socket)) open.add(socket);
    });
  };
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.prependListener(event, note);
}

/** `permit` sends "100 Continue" to a client that waits for it; called when the body is about to be read. */
function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: ListenerOptions,
  permit: () => void = () => undefined,
): void {
  const controller = new AbortController();
  // A socket error while nobody reads must not end the process.
  request.on("error", () => undefined);
  void current.run(controller, () => answer(request, response, controller, options, permit));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  controller: AbortController,
  options: ListenerOptions,
  permit: () => void,
): Promise<void> {
  const id = options.newId();
  const closed = options.onOpen(controller);
  response.on("close", () => {
    closed();
    if (!response.writableFinished) {
      controller.abort(new MidfoldError("ABORTED", "The client left before its answer was complete."));
    }
  });
  response.on("error", () => controller.abort(new MidfoldError("ABORTED", "The connection to the client broke.")));
  let reply: HttpReply | undefined;
  try {
    if (hasTwoHosts(request)) {
      // Node uses the first value, a proxy may have used the last.
      writeReply(response, { status: 400, headers: {}, close: true }, options.limits);
      return;
    }
    reply = await options.handle({
      id,
      method: request.method ?? "",
      target: request.url ?? "",
      headers: request.headers,
      headerCount: request.rawHeaders.length / 2,
      remoteAddress: request.socket.remoteAddress ?? "",
      startedAt: performance.now(),
      signal: controller.signal,
      controller,
      readBody: (maxBytes, onBytes) => readBody(request, maxBytes, permit, onBytes),
    });
    // An unread body must not be taken for the next request on this connection.
    const unread = !request.complete && reply.close !== true && hasBody(request);
    const written = writeReply(response, unread ? { ...reply, close: true } : reply, options.limits);
    if (written !== undefined) await written;
  } catch (error) {
    options.onWriteError(id, error);
    // A client must not wait for an answer that will never come.
    if (response.headersSent) response.destroy();
    else response.writeHead(500, { connection: "close", "content-length": "0", "x-request-id": id }).end();
  } finally {
    reply?.onEnd?.();
    if (!request.complete) request.resume();
  }
}

function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts > 1;
}

function hasBody(request: IncomingMessage): boolean {
  return request.headers["content-length"] !== undefined || request.headers["transfer-encoding"] !== undefined;
}

const refusals: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const status = (error.code === undefined ? undefined : refusals[error.code]) ?? "400 Bad Request";
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

interface WriteOptions {
  /** A client that reads nothing for this long is disconnected, so that it cannot hold an upstream open. */
  readonly drainTimeoutMs: number;
}

/**
 * Sends a reply through Node, reading the body only as fast as the client does. Resolves when everything is handed
 * over; a reply in one piece is handed over at once.
 */
function writeReply(response: ServerResponse, reply: HttpReply, options: WriteOptions): Promise<void> | undefined {
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
function headerList({ headers, close }: HttpReply, length: number | undefined): string[] {
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
    // Errors are already turned into the protocol's own error event before this. What still arrives here must never
    // look like a clean end.
    response.destroy();
    throw error;
  }
}

async function discard(reply: HttpReply): Promise<void> {
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
