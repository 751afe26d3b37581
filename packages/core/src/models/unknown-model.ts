/**
 * The window of a model nobody knows. Every chat model released since mid-2024 has at least this; the smaller old ones
 * are in the table. Less would refuse requests that fit, with no way to find out; more would overflow small servers.
 */
export const unknownWindow = 32_768;

/** The most a model nobody knows may answer. */
export const unknownMaxOutput = (window: number): number => Math.min(8_192, Math.floor(window / 4));
