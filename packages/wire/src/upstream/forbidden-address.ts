import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, isIPv6, type LookupFunction } from "node:net";
import { MidfoldError } from "@midfold/core";

/** Link-local and unspecified: cloud metadata lives there. Never reached through a name. */
const neverByName = ranges([
  ["0.0.0.0", 8],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["::", 128],
  ["fe80::", 10],
  ["ff00::", 8],
]);

/** Everything else that is not the public internet, and the IPv6 forms that can carry an IPv4 address in disguise. */
const privateNetworks = ranges([
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["::1", 128],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["fc00::", 7],
  ["fec0::", 10],
]);

function ranges(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of subnets) list.addSubnet(network, bits, isIPv6(network) ? "ipv6" : "ipv4");
  return list;
}

/** Whether an address that a *name* resolved to may be connected to. IPv4 inside IPv6 is seen through. */
export function isForbiddenAddress(address: string, privateNetwork: boolean): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  const type = family === 6 ? "ipv6" : "ipv4";
  return neverByName.check(address, type) || (!privateNetwork && privateNetworks.check(address, type));
}

/** A host that names a private place by itself: an address, or this machine. */
export function namesItsAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  return isIP(host) !== 0 || host === "localhost" || host.endsWith(".localhost");
}

/**
 * A DNS lookup that refuses forbidden addresses. The connection is made to the very addresses checked here, so a name
 * that changes its answer between check and use gains nothing.
 */
export function createGuardedLookup(privateNetwork: boolean, resolve: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null && error !== undefined) return callback(error, []);
      const addresses = Array.isArray(found) ? found : [{ address: found, family: isIP(found) }];
      if (addresses.length === 0 || addresses.some(({ address }) => isForbiddenAddress(address, privateNetwork))) {
        return callback(forbidden(hostname), []);
      }
      const first = addresses[0] as { address: string; family: number };
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function forbidden(hostname: string): MidfoldError {
  return new MidfoldError(
    "UPSTREAM_FORBIDDEN",
    `The upstream host "${hostname}" resolves to a private or reserved address. Write the address itself in its base URL, or set privateNetwork for this upstream.`,
    { details: { host: hostname } },
  );
}
