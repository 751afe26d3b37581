import { request as httpRequest } from "node:http";
import { type Check, check, require, requireEqual } from "./check.ts";
import { head, hostOf } from "./raw-ask.ts";
import { sendRaw, statusOf } from "./raw-socket.ts";
import { chat, hello, posts, withDemo, withStage, words } from "./setup.ts";

export const requestChecks: readonly Check[] = [
  check(
    "B9",
    "same Idempotency-Key, parallel and later",
    withStage,
    { upstream: { script: () => ({ text: words(20), stream: { delayMs: 3 } }) } },
    async ({ simulator, gateway }) => {
      const headers = { "idempotency-key": "once" };
      const body = { ...hello, stream: true };
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => (await gateway.post(chat, body, headers)).text()),
      );
      requireEqual(new Set(answers).size, 1, "different answers");
      require(answers[0]?.includes("[DONE]") === true, "not complete");
      requireEqual(await (await gateway.post(chat, body, headers)).text(), answers[0], "the later one");
      requireEqual(simulator.counts.requests, 1, "upstream calls");
      requireEqual((await gateway.post(chat, { ...body, n: 1 }, headers)).status, 409, "another body");
      await gateway.post(chat, body, { ...headers, authorization: "Bearer other" });
      requireEqual(simulator.counts.requests, 2, "calls after another tenant's");
      return "21 answers from 1 upstream call; another body 409; not shared between tenants";
    },
  ),
  check("B10", "retry without a key after a lost response", withStage, {}, async ({ simulator, gateway }) => {
    await gateway.post(chat, hello);
    await gateway.post(chat, hello);
    requireEqual(simulator.counts.requests, 2, "upstream calls");
    return "sent again, as documented; a chat session takes one turn at a time (409)";
  }),
  check("B11", "CR/LF in headers, model, session", withDemo, {}, async ({ url, post }) => {
    const injected = await sendRaw(url, `${head(url, "x-session-id: a\rx: b\r\ncontent-length: 2\r\n")}\r\n{}`);
    requireEqual(statusOf(injected), 400, "a bare CR in a header");
    const response = await post("/v1/messages", {
      model: "m\r\nx-evil: 1\n\nevent: evil",
      max_tokens: 50,
      stream: true,
      messages: [{ role: "user", content: "a\r\n\r\nevent: evil\ndata: {}" }],
    });
    const events = await response.text();
    requireEqual(response.headers.get("x-evil"), null, "header");
    require(!/^event: evil/m.test(events), "an event was injected");
    return "400; SSE stays one JSON line per event";
  }),
  check("B12", "40 KB header; 300 headers", withDemo, {}, async ({ url }) => {
    const large = await sendRaw(
      url,
      `GET /healthz HTTP/1.1\r\nhost: ${hostOf(url)}\r\nx: ${"a".repeat(40_000)}\r\n\r\n`,
    );
    requireEqual(statusOf(large), 431, "large");
    const many = await sendRaw(
      url,
      `GET /healthz HTTP/1.1\r\nhost: ${hostOf(url)}\r\n${Array.from({ length: 300 }, (_, i) => `x-${i}: 1\r\n`).join("")}connection: close\r\n\r\n`,
    );
    requireEqual(statusOf(many), 431, "many");
    return "431 both";
  }),
  check("B13", "Content-Length with Transfer-Encoding (smuggling)", withDemo, {}, async ({ url }) => {
    const both = await sendRaw(
      url,
      `${head(url, "content-length: 5\r\ntransfer-encoding: chunked\r\n")}\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: ${hostOf(url)}\r\n\r\n`,
    );
    requireEqual(statusOf(both), 400, "both lengths");
    requireEqual(both.match(/HTTP\/1\.1/g)?.length, 1, "answers");
    const twice = await sendRaw(url, `${head(url, "content-length: 2\r\ncontent-length: 3\r\n")}\r\n{}x`);
    requireEqual(statusOf(twice), 400, "two lengths");
    return "400, one answer, connection closed";
  }),
  check("B14", "X-Forwarded-* and x-midfold-* from a client", withStage, {}, async ({ simulator, gateway }) => {
    const headers = {
      "x-forwarded-for": "1.2.3.4",
      "x-forwarded-host": "evil",
      "x-midfold-window": "5",
      "x-real-ip": "1.2.3.4",
      forwarded: "for=1",
    };
    await gateway.post(chat, hello, headers);
    const sent = posts(simulator)[0]?.headers ?? {};
    for (const name of Object.keys(headers)) requireEqual(sent[name], undefined, name);
    return "none reaches the upstream";
  }),
  check("B15", "hop-by-hop headers and cookies", withStage, {}, async ({ simulator, gateway }) => {
    await new Promise<void>((resolve, reject) => {
      const text = JSON.stringify(hello);
      const sent = httpRequest(
        `${gateway.url}${chat}`,
        {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "content-length": text.length,
            connection: "keep-alive, x-hop",
            "x-hop": "1",
            te: "trailers",
            cookie: "a=b",
            "proxy-authorization": "Basic eA==",
            authorization: "Bearer caller-key",
          },
        },
        (response) => response.resume().on("end", resolve),
      );
      sent.on("error", reject);
      sent.end(text);
    });
    const sent = posts(simulator)[0]?.headers ?? {};
    for (const name of ["x-hop", "te", "cookie", "proxy-authorization"]) requireEqual(sent[name], undefined, name);
    requireEqual(sent.authorization, "Bearer sk-upstream-canary-7f3a", "authorization");
    return "none reaches the upstream; the credential is the configured one";
  }),
];
