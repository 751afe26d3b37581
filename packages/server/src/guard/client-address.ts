import { BlockList, isIP, isIPv6 } from "node:net";
import { headerOf, type InboundHeaders } from "../http/http-message.ts";

/**
 * The address of the client behind proxies: the last one that no trusted proxy added. Addresses that the client itself
 * puts into the header are further left and are ignored.
 */
export function createClientAddress(trusted: readonly string[]): (remote: string, headers: InboundHeaders) => string {
  if (trusted.length === 0) return (remote) => remote;
  const proxies = new BlockList();
  for (const range of trusted) {
    const [address = "", bits] = range.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    proxies.addSubnet(address, bits === undefined ? (family === "ipv6" ? 128 : 32) : Number(bits), family);
  }
  const isProxy = (address: string) => isIP(address) !== 0 && proxies.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  return (remote, headers) => {
    let client = plain(remote);
    const hops = (headerOf(headers, "x-forwarded-for") ?? "").split(",").map((hop) => plain(hop.trim()));
    while (isProxy(client)) {
      const before = hops.pop();
      if (before === undefined || isIP(before) === 0) break;
      client = before;
    }
    return client;
  };
}

/** An IPv4 address that came through an IPv6 socket is the IPv4 address. */
function plain(address: string): string {
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}
