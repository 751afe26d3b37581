import type { Message } from "../message/message.ts";
import type { Fact } from "./fact.ts";
import { factsIn } from "./facts-in.ts";
import { scanCommands } from "./scan-commands.ts";

/**
 * What must not be lost in a stretch of conversation: rules of the user, paths, identifiers, numbers, dates, addresses
 * and names, each once, in order of appearance. Linear in the length of the text.
 *
 * @example const paths = extractFacts(messages).filter(({ kind }) => kind === "path");
 */
export function extractFacts(messages: readonly Message[]): Fact[] {
  return factsIn(messages, scanCommands);
}
