// A client on a bare socket. With Node's own, a small request took as much processor time here as in the gateway, and on
// two cores that was what limited the gateway's throughput.
import { connect } from "node:net";

export interface Answer {
  readonly status: number;
  readonly bodyBytes: number;
  /** Of an answer that is no success, its beginning. */
  readonly said: string;
  /** Milliseconds of the monotonic clock. */
  readonly firstByteAt: number;
  /** Whether the other side ends the connection after it. */
  readonly closes: boolean;
}

/** One connection that is kept open, for one request at a time. */
export interface Connection {
  /** Rejects when the connection ends before the answer does. */
  ask(request: Buffer): Promise<Answer>;
  close(): void;
}

export function requestBytes(
  target: { readonly port: number; readonly path: string; readonly headers: Readonly<Record<string, string>> },
  body: Buffer,
): Buffer {
  let head = `POST ${target.path} HTTP/1.1\r\nhost: 127.0.0.1:${target.port}\r\nconnection: keep-alive\r\n`;
  for (const name in target.headers) head += `${name}: ${target.headers[name]}\r\n`;
  head += `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

export function openConnection(port: number): Promise<Connection> {
  return new Promise((opened, failed) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    let reading: Reading | undefined;
    let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
    const end = (error: Error) => {
      failed(error);
      waiting?.reject(error);
      waiting = undefined;
    };
    socket.on("error", end);
    socket.on("close", () => end(new Error("The connection ended before the answer did.")));
    socket.on("data", (chunk) => {
      reading ??= createReading();
      const answer = reading(chunk);
      if (answer === undefined) return;
      reading = undefined;
      const asked = waiting;
      waiting = undefined;
      asked?.resolve(answer);
    });
    socket.on("connect", () =>
      opened({
        ask: (request) =>
          new Promise((resolve, reject) => {
            if (socket.destroyed) return reject(new Error("The connection was closed while nothing was asked."));
            waiting = { resolve, reject };
            socket.write(request);
          }),
        close: () => void socket.destroy(),
      }),
    );
  });
}

/** Takes what arrives; the answer once it is complete. */
type Reading = (chunk: Buffer) => Answer | undefined;

const lastChunk = Buffer.from("0\r\n\r\n");

function createReading(): Reading {
  let head: string | undefined;
  let status = 0;
  let unread: Buffer = Buffer.alloc(0);
  let length: number | undefined;
  let bodyBytes = 0;
  let said = "";
  let firstByteAt = 0;
  return (chunk) => {
    if (firstByteAt === 0) firstByteAt = performance.now();
    // What was read so far is looked at together only until the head is whole, and for the end of a stream.
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
    if (head === undefined) {
      const end = unread.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      head = unread.toString("latin1", 0, end);
      status = Number(head.slice(9, 12));
      unread = unread.subarray(end + 4);
      const declared = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
      length = declared === undefined ? undefined : Number(declared);
      bodyBytes = unread.length;
    } else bodyBytes += chunk.length;
    if (status !== 200 && said.length < 300) said += unread.toString("latin1", 0, 300);
    if (length === undefined ? !unread.subarray(-lastChunk.length).equals(lastChunk) : bodyBytes < length) {
      unread = unread.subarray(-lastChunk.length);
      return undefined;
    }
    return { status, bodyBytes, said, firstByteAt, closes: /\r\nconnection: *close/i.test(head) };
  };
}
