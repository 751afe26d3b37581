import { connect, type Socket } from "node:net";

export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  readonly received: () => string;
  readonly closed: Promise<number>;
}

/** A connection on which anything can be written. `closed` resolves with the milliseconds it stayed open. */
export async function openRaw(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  await new Promise<void>((resolve, reject) => {
    socket.once("connect", resolve);
    socket.once("error", reject);
  });
  const openedAt = performance.now();
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => undefined);
  const closed = new Promise<number>((resolve) => socket.once("close", () => resolve(performance.now() - openedAt)));
  return { socket, received: () => text, closed };
}

/** Sends one raw request and resolves with what came back until the connection closed or `ms` passed. */
export async function sendRaw(url: string, request: string | Buffer, ms = 3_000): Promise<string> {
  const connection = await openRaw(url);
  connection.socket.write(request);
  await Promise.race([connection.closed, new Promise((resolve) => setTimeout(resolve, ms))]);
  connection.socket.destroy();
  return connection.received();
}

export const statusOf = (response: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0);
