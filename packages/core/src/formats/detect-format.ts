import { MidfoldError } from "../errors/midfold-error.ts";
import type { Format, NamedFormat } from "./format.ts";
import { formats } from "./formats.ts";
import { ownMessages } from "./own-messages.ts";
import { describeValue } from "./wire-object.ts";

export interface DetectOptions {
  /** Skips detection: the caller knows. */
  readonly format?: NamedFormat | undefined;
}

/**
 * The format that fits a list of wire messages best; throws UNKNOWN_FORMAT when none can read any of it.
 *
 * @example detectFormat([{ role: "user", content: "Hello" }]).name; // "openai-chat"
 */
export function detectFormat(wire: readonly unknown[], options: DetectOptions = {}): Format {
  const names = Object.keys(formats).join(", ");
  if (options.format === ownMessages.name) return ownMessages;
  if (options.format !== undefined) {
    if (Object.hasOwn(formats, options.format)) return formats[options.format as keyof typeof formats];
    throw new MidfoldError("UNKNOWN_FORMAT", `There is no format ${describeValue(options.format)}; known: ${names}.`);
  }
  if (!Array.isArray(wire)) {
    throw new MidfoldError("UNKNOWN_FORMAT", `messages must be an array, not ${describeValue(wire)}.`);
  }
  if (wire.length === 0) return formats["openai-chat"];
  let best: Format | undefined;
  let bestScore = 0;
  for (const format of Object.values(formats)) {
    const score = format.detect(wire);
    if (score > bestScore) {
      best = format;
      bestScore = score;
    }
  }
  if (best !== undefined) return best;
  throw new MidfoldError(
    "UNKNOWN_FORMAT",
    `None of the ${wire.length} messages looks like one of: ${names}. The first is ${describeFirst(wire[0])}. Messages need a role and content (or, for Responses items, a type).`,
  );
}

function describeFirst(first: unknown): string {
  if (typeof first !== "object" || first === null || Array.isArray(first)) return describeValue(first);
  const keys = Object.keys(first).slice(0, 6);
  return keys.length === 0 ? "an empty object" : `an object with ${keys.join(", ")}`;
}
