/** The most of a window that a reply may claim. Half: beyond it there is more room to answer than to ask. */
export const maxReserveShare = 0.5;

export interface OutputReserveOptions {
  readonly window: number;
  /** What the model can write at most. */
  readonly maxOutput: number;
  /** What the request asks for; the model's maximum when it does not say. */
  readonly asked?: number | undefined;
}

/**
 * Tokens to keep free for the reply: the smallest of what was asked, what the model can write and half the window.
 * Clients ask for 128 000 whatever stands behind the gateway; unclamped, a 32k window would have no room for input at
 * all. Whoever sends the request must also lower its output limit to this number, or the upstream refuses the sum.
 */
export function outputReserve({ window, maxOutput, asked }: OutputReserveOptions): number {
  const wanted = asked === undefined || !(asked > 0) ? maxOutput : asked;
  return Math.max(0, Math.min(Math.floor(wanted), maxOutput, Math.floor(window * maxReserveShare)));
}
