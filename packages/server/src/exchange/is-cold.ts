import type { Destination } from "../upstreams/destination.ts";

/** Whether the provider has dropped what it cached of a conversation: its last answer is older than it keeps anything. */
export function isCold(
  { protocol, traits }: Pick<Destination, "protocol" | "traits">,
  answeredAt: number,
  now: number,
  /** The request in the upstream's protocol, where it is known: it may ask for more time. */
  body?: unknown,
): boolean {
  return now - answeredAt > Math.max(protocol.body.cacheKeptMs(body), traits.cacheKeptMs ?? 0);
}
