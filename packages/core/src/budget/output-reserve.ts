/** Room for counting errors. */
export const defaultSafetyTokens = 100;

/** The most of a window that a reply gets for which nobody asked. Half: beyond it there is more room to answer than to ask. */
export const maxReserveShare = 0.5;
/** What a reply gets where the figure says nothing: the model can write more than half, or more was asked than fits. */
export const fallbackReserveShare = 0.25;

export interface OutputReserveOptions {
  readonly window: number;
  /** What the model can write at most. */
  readonly maxOutput: number;
  /** What the request asks for; the model's maximum when it does not say. */
  readonly asked?: number | undefined;
}

/**
 * Tokens to keep free for the reply. What the request asks for, also above half the window, while it leaves any room for
 * the input. More than that means "as much as there is" (clients ask for 128 000 whatever stands behind the gateway):
 * then, and where nothing was asked and the model can write more than half the window, the reply gets a quarter. Where
 * that is less than was asked, whoever sends the request must lower its limit, or the upstream refuses the sum, and say so.
 *
 * @example outputReserve({ window: 128_000, maxOutput: 16_384, asked: 4_096 }); // 4096
 */
export function outputReserve({ window, maxOutput, asked }: OutputReserveOptions): number {
  const isAsked = asked !== undefined && asked > 0;
  const wanted = Math.min(isAsked ? Math.floor(asked) : maxOutput, maxOutput);
  const most = isAsked ? window - defaultSafetyTokens - 1 : window * maxReserveShare;
  return Math.max(0, wanted <= most ? wanted : Math.floor(window * fallbackReserveShare));
}
