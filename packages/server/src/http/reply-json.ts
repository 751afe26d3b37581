import type { HttpReply } from "./http-message.ts";

export function replyJson(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
  clean: (text: string) => string = (text) => text,
): HttpReply {
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    body: clean(JSON.stringify(value) ?? ""),
  };
}
