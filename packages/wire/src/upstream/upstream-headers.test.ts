import { expect, test } from "vitest";
import { forwardableHeaders, requestHeaders, responseHeaders } from "./upstream-headers.ts";

test("a caller's credentials, cookies, network trail and our own headers stay here", () => {
  const headers = forwardableHeaders({
    Authorization: "Bearer x",
    "X-Api-Key": "x",
    "api-key": "x",
    "x-goog-api-key": "x",
    Cookie: "x",
    Host: "x",
    "Content-Length": "1",
    "X-Forwarded-For": "x",
    "X-Midfold-Session": "x",
    "X-Disable-Compression": "true",
    Connection: "keep-alive, X-Private",
    "X-Private": "x",
    TE: "trailers",
    Baggage: "user=anna",
    "X-Internal-Token": "x",
    "X-Stainless-Lang": "js",
    "anthropic-version": "2023-06-01",
    "Anthropic-Beta": "context-1m",
    "Content-Type": "application/json",
  });
  expect(headers).toEqual({
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "context-1m",
    "content-type": "application/json",
    "x-stainless-lang": "js",
  });
});

test("the upstream's own headers win, whatever the spelling", () => {
  expect(requestHeaders({ AUTHORIZATION: "a", "User-Agent": "me" }, { Authorization: "b" })).toEqual({
    authorization: "b",
    "accept-encoding": "identity",
    "user-agent": "me",
  });
});

test("headers named by Connection leave with it", () => {
  expect(responseHeaders({ connection: "x-hop", "x-hop": "1", "x-many": ["a", "b"], gone: undefined })).toEqual({
    "x-many": "a, b",
  });
});
