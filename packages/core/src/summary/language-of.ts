import { frameOf } from "../digest/frame.ts";
import { type Message, textOf } from "../message/message.ts";

/** The language the users of a conversation write in. Its tables are large, and only summaries need them. */
export async function languageOf(messages: readonly Message[]): Promise<string | undefined> {
  let sample = "";
  for (const message of messages) {
    if (message.role !== "user" || frameOf(message) !== undefined) continue;
    sample += `${textOf(message).slice(0, 2000)}\n`;
    if (sample.length > 16_000) break;
  }
  return (await import("./detect-language.ts")).detectLanguage(sample);
}
