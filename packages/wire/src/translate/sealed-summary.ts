/** How a sealed summary begins; nothing else does. */
export const sealPrefix = "midfold.summary.";

const prefix = sealPrefix;

/**
 * A summary in the opaque field of a compaction item. It is the client's own text on its way back to the client, so it
 * is packed, not encrypted: whoever holds it may read it.
 */
export function sealSummary(text: string): string {
  return prefix + Buffer.from(text, "utf8").toString("base64url");
}

/** The summary inside, when Midfold sealed it; undefined for another provider's. */
export function openSummary(sealed: string): string | undefined {
  if (!sealed.startsWith(prefix)) return undefined;
  return Buffer.from(sealed.slice(prefix.length), "base64url").toString("utf8");
}
