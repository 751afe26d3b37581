import { MidfoldError } from "@midfold/core";
import { headerOf, type InboundHeaders } from "../http/http-message.ts";

const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"]);

export interface HostRules {
  /** Names this server answers to, beside the loopback ones. Empty means any, which only a server with keys may allow. */
  readonly hosts: readonly string[];
  readonly anyHost: boolean;
  /** The port the server listens on; undefined before it listens, and for in-process calls. */
  readonly port: number | undefined;
}

/**
 * Refuses a request whose `Host` is not one of ours. A page that lured a browser to our port through a DNS name of its
 * own (rebinding) is stopped here, on every route.
 */
export function checkHost(headers: InboundHeaders, rules: HostRules): void {
  if (rules.anyHost) return;
  const host = (headerOf(headers, "host") ?? headerOf(headers, ":authority") ?? "").toLowerCase();
  const match = /^(\[[0-9a-f:.]+\]|[^:]+)(?::(\d{1,5}))?$/.exec(host);
  const name = match?.[1] ?? "";
  const port = match?.[2] === undefined ? undefined : Number(match[2]);
  if (rules.hosts.includes(name) || rules.hosts.includes(host)) return;
  if (loopbackNames.has(name) && (rules.port === undefined || port === rules.port || port === undefined)) return;
  throw new MidfoldError(
    "FORBIDDEN",
    "This server does not answer to that Host. Use the address it printed, or add the name to server.hosts.",
  );
}
