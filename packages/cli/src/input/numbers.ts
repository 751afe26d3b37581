import { InvalidArgumentError } from "commander";

/** A number of tokens: `16000` or `16k`. */
export function tokenCount(text: string): number {
  const [, digits, thousand] = /^(\d+)(k)?$/i.exec(text) ?? [];
  const tokens = digits === undefined ? Number.NaN : Number(digits) * (thousand === undefined ? 1 : 1_000);
  return positive(tokens, "It must be a number of tokens, such as 16000 or 16k.");
}

/** How many of something: 1, 2, 3… */
export function wholeNumber(text: string): number {
  return positive(/^\d+$/.test(text) ? Number(text) : Number.NaN);
}

/** 0 to 65535; 0 lets the system choose. */
export function portNumber(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("It must be 0 to 65535.");
}

function positive(value: number, otherwise = "It must be a positive whole number."): number {
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError(otherwise);
}
