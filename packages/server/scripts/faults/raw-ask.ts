import { openRaw, type RawConnection } from "./raw-socket.ts";
import { chat } from "./setup.ts";

export const hostOf = (url: string) => `127.0.0.1:${new URL(url).port}`;
export const head = (url: string, extra = "") =>
  `POST ${chat} HTTP/1.1\r\nhost: ${hostOf(url)}\r\ncontent-type: application/json\r\n${extra}`;

/** Sends a request over a connection that can be cut at any time. */
export async function ask(url: string, body: object): Promise<RawConnection> {
  const connection = await openRaw(url);
  const text = JSON.stringify(body);
  connection.socket.write(`${head(url, `content-length: ${Buffer.byteLength(text)}\r\n`)}\r\n${text}`);
  return connection;
}
