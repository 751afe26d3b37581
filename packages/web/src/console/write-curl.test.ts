import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import type { RequestDetail } from "../api/types.gen.ts";
import { writeCurl } from "./write-curl.ts";

const request = {
  protocol: "anthropic-messages",
  path: "/v1/messages",
  requestedModel: "m",
  stream: true,
} as RequestDetail;

test("the body survives the shell, quotes and line breaks included", () => {
  const messages = [{ role: "user", content: 'it\'s "quoted"\n$HOME `x` \\ 世界' }];
  const command = writeCurl(request, messages, "http://localhost:1");
  // The shell itself prints the arguments it would pass on.
  const script = `curl() { for part in "$@"; do last=$part; done; printf %s "$last"; }; ${command}`;
  const body = JSON.parse(execFileSync("sh", ["-c", script], { encoding: "utf8" }));
  expect(body).toEqual({ model: "m", max_tokens: 1024, stream: true, messages });
});

test("without captured content the body comes from a file", () => {
  expect(writeCurl(request, undefined, "http://localhost:1")).toContain("-d @request.json");
});
