/** The most of a window that a reply may claim. Half: beyond it there is more room to answer than to ask. */
export const maxReserveShare = 0.5;
/** What a reply gets that claims more than that. */
export const fallbackReserveShare = 0.25;

export interface OutputReserveOptions {
  readonly window: number;
  /** What the model can write at most. */
  readonly maxOutput: number;
  /** What the request asks for; the model's maximum when it does not say. */
  readonly asked?: number | undefined;
}

/**
 * Tokens to keep free for the reply: what was asked, or what the model can write, while that is at most half the window.
 * A larger figure means "as much as there is", not what the reply will need (clients ask for 128 000 whatever stands
 * behind the gateway), so it gets a quarter and the conversation the rest. Whoever sends the request must lower its
 * output limit to this number, or the upstream refuses the sum.
 */
export function outputReserve({ window, maxOutput, asked }: OutputReserveOptions): number {
  const wanted = Math.min(asked === undefined || !(asked > 0) ? maxOutput : Math.floor(asked), maxOutput);
  return Math.max(0, wanted <= window * maxReserveShare ? wanted : Math.floor(window * fallbackReserveShare));
}
