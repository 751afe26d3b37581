import type { Message } from "../message/message.ts";

const turnsLookedAt = 5;

/**
 * How many more turns fit into `room` tokens if they are like the last five; undefined before the second turn.
 *
 * @example forecastTurns(messages, messages.map((message) => counter.countMessage(message)), 20_000); // such as 12
 */
export function forecastTurns(
  messages: readonly Message[],
  weights: ArrayLike<number>,
  room: number,
): number | undefined {
  const turns: number[] = [];
  let tokens = 0;
  let end = messages.length;
  for (let i = messages.length - 1; i >= 0 && turns.length < turnsLookedAt; i--) {
    tokens += weights[i] ?? 0;
    if (messages[i]?.role !== "user") continue;
    // Words nobody has answered yet are not a turn.
    if (i < end - 1) turns.push(tokens);
    tokens = 0;
    end = i;
  }
  if (turns.length < 2) return undefined;
  const average = turns.reduce((sum, turn) => sum + turn, 0) / turns.length;
  return average > 0 ? Math.max(0, Math.floor(room / average)) : undefined;
}
