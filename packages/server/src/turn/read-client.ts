import { headerOf, type InboundHeaders } from "../http/exchange.ts";

const sessionHeaders = ["x-claude-code-session-id", "session-id", "thread-id", "x-session-id", "x-session-affinity"];

/** The client program as it names itself: the first product of its user agent. */
export function clientName(headers: InboundHeaders): string {
  const agent = headerOf(headers, "user-agent") ?? "";
  const product = /^[\w.@/ -]{1,40}?(?=\/[\dv]|\s|$)/.exec(agent)?.[0];
  return product === undefined || product === "" ? "unknown" : product.toLowerCase();
}

/** The client's own name for the conversation, where it sends one. */
export function sessionOf(headers: InboundHeaders): string | undefined {
  for (const name of sessionHeaders) {
    const value = headerOf(headers, name);
    if (value !== undefined) return value.slice(0, 128);
  }
  return undefined;
}
