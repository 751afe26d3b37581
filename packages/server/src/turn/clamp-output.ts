import type { Window } from "./resolve-window.ts";

/**
 * The limit on the answer that the window leaves beside the input, when the client asked for more; undefined when it may
 * stay. Clients ask for 32 000 or 128 000 tokens whatever stands behind the gateway, and upstreams refuse the sum.
 */
export function clampOutput(window: Window, inputTokens: number, safetyTokens: number): number | undefined {
  if (window.asked === undefined) return undefined;
  const room = window.tokens - inputTokens - safetyTokens;
  if (window.asked <= room) return undefined;
  return Math.max(1, Math.min(window.asked, Math.max(room, window.reserve)));
}
