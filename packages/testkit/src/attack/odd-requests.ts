import { createRandom } from "../generate/random.ts";

const paths = [
  "/",
  "/healthz",
  "/v1/messages",
  "/v1/chat/completions",
  "/v1/responses",
  "/v1/responses/compact",
  "/v1/models",
  "/api/sessions",
  "/api/keys",
  "/api/providers",
  "/api/console/overview",
  "/metrics",
  "//v1//messages",
  "/v1/../api/keys",
  "/v1/%2e%2e/api/keys",
  "/v1/messages;x=1",
  "/v1/messages%00",
  "/\\api\\keys",
  "*",
  "http://evil.example/v1/messages",
];
const methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "HEAD", "PATCH", "TRACE", "CONNECT", "PRI", "get", "P OST"];
const headers = [
  "expect: 100-continue",
  "expect: 200-maybe",
  "transfer-encoding: chunked",
  "transfer-encoding: gzip, chunked",
  "transfer-encoding: chunked, chunked",
  "content-length: 5",
  "content-length: -1",
  "content-length: 99999999999999999999",
  "content-length: 5, 5",
  "content-length: 0x10",
  "content-type: application/json",
  "content-type: text/plain",
  "content-encoding: gzip",
  "origin: null",
  "origin: https://evil.example",
  "host: evil.example",
  "host: 127.0.0.1:1@evil.example",
  "authorization: Bearer",
  "authorization: Basic Zm9vOmJhcg==",
  "authorization: Bearer mf-guess",
  "x-api-key: mf-guess",
  "x-midfold-key: \u0001",
  "x-forwarded-for: 127.0.0.1",
  "connection: upgrade",
  "upgrade: websocket",
  "upgrade: h2c",
  "connection: close, keep-alive",
  "cookie: a=b",
  "range: bytes=0-99999999999",
  "accept-encoding: *;q=0",
  "idempotency-key: x",
  " leading: space",
  "no colon at all",
  ": no name",
  "na me: value",
  "name\u0000: value",
  `long: ${"x".repeat(20_000)}`,
];
const bodies = [
  "",
  "{}",
  "{",
  "[]",
  "null",
  "\u0000",
  "5\r\n{}\r\n0\r\n\r\n",
  "ffffffff\r\n",
  "0\r\n\r\n",
  "x".repeat(5_000),
];
const versions = ["HTTP/1.1", "HTTP/1.1", "HTTP/1.1", "HTTP/1.0", "HTTP/2.0", "HTTP/9", "HTP/1.1", ""];

/** Requests as text, as a stranger on the network could send them. The same seed gives the same ones. */
export function* oddRequests(count: number, seed = 1): Generator<string> {
  const random = createRandom(seed);
  const { pick } = random;
  for (let index = 0; index < count; index++) {
    const lines = [`${pick(methods)} ${pick(paths)} ${pick(versions)}`.trim()];
    if (random.below(8) > 0) lines.push("host: 127.0.0.1");
    for (let more = random.below(6); more > 0; more--) lines.push(pick(headers));
    const end = random.below(20) === 0 ? "\n\n" : "\r\n\r\n";
    yield `${lines.join("\r\n")}${end}${pick(bodies)}`;
  }
}
