import { finish, type Lanes, mixText } from "./fingerprint.ts";

/**
 * One hash per message, each covering everything up to and including it. Two conversations share a chain value exactly
 * when they share that whole prefix, which is how a client that resends its history meets its earlier folds.
 */
export function hashChain(fingerprints: readonly string[]): string[] {
  const chain: string[] = new Array(fingerprints.length);
  let previous = "";
  for (let i = 0; i < fingerprints.length; i++) {
    const lanes: Lanes = { a: 0x243f6a88, b: 0x13198a2e };
    mixText(lanes, previous);
    mixText(lanes, fingerprints[i]!);
    previous = finish(lanes);
    chain[i] = previous;
  }
  return chain;
}
