import { isWireObject, type WireObject } from "./wire-object.ts";

const sampled = 200;

/**
 * How sure a format can be of a list, from what it says of single messages (1 its own, 0 possible, -1 impossible).
 * Reads at most the first and the last 200 messages.
 */
export function scoreList(wire: readonly unknown[], recognise: (message: WireObject) => -1 | 0 | 1): number {
  if (!Array.isArray(wire)) return 0;
  let own = 0;
  let possible = 0;
  let impossible = 0;
  for (let index = 0; index < wire.length; index++) {
    if (index === sampled && wire.length > 2 * sampled) index = wire.length - sampled;
    const message: unknown = wire[index];
    const verdict = isWireObject(message) ? recognise(message) : -1;
    if (verdict === 1) own++;
    else if (verdict === 0) possible++;
    else impossible++;
  }
  const seen = own + possible + impossible;
  if (seen === 0 || own + possible === 0) return 0;
  const readable = (own + possible) / seen;
  return own > 0 ? (0.5 + 0.5 * (own / (own + impossible))) * readable : 0.5 * readable;
}
