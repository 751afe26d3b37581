import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server, type Socket } from "node:net";
import { type ErrorCode, isMidfoldError, type MidfoldError } from "@midfold/core";
import { expect } from "vitest";
import type { AnswerBody } from "./answer-body.ts";
import { readText } from "./read-text.ts";
import type { Upstream, UpstreamRequest } from "./upstream.ts";
import { type AttemptEvent, createUpstreamClient, type UpstreamClientOptions } from "./upstream-client.ts";

export const secret = "sk-test-0123456789abcdef";
const cleanups: (() => unknown)[] = [];

/** Every try of the clients opened since the last `closeAll`. */
export const events: AttemptEvent[] = [];

/** Closes whatever a test opened. */
export async function closeAll(): Promise<void> {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  events.length = 0;
}

export async function listen(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server whose key must never show up in an error. */
export const serve = async (listener: RequestListener): Promise<Upstream> => ({
  name: "test",
  baseUrl: `${await listen(createServer(listener))}/v1/`,
  headers: { authorization: `Bearer ${secret}` },
});

/** A server that speaks raw bytes, for answers no HTTP library would write. */
export const serveBytes = async (onRequest: (socket: Socket, count: number) => void): Promise<Upstream> => {
  let count = 0;
  const server = createSocketServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", () => onRequest(socket, ++count));
  });
  return { name: "raw", baseUrl: await listen(server) };
};

export function client(options: UpstreamClientOptions = {}) {
  const made = createUpstreamClient({ random: () => 0, onAttempt: (event) => events.push(event), ...options });
  cleanups.push(() => made.close());
  return made;
}

export const post: UpstreamRequest = {
  path: "/chat",
  body: '{"hello":1}',
  headers: { "content-type": "application/json" },
};
export const text = async (body: AnswerBody) => readText(body, 1e9);

export async function failure(promise: Promise<unknown>, code: ErrorCode): Promise<MidfoldError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isMidfoldError(error)) throw new Error(`expected ${code}, got ${String(error)}`);
  expect(error.code).toBe(code);
  expect(`${error.message} ${JSON.stringify(error.details)} ${String(error.cause)}`).not.toContain(secret);
  return error;
}
