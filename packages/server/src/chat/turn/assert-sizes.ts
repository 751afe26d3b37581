import { MidfoldError, type Part } from "@midfold/core";

/** More than any model reads at once; storing, counting and showing longer ones would block other requests. */
const maxTextChars = 2_000_000;
/** Pictures and files. */
const maxDataChars = 8_000_000;
const maxMessages = 20_000;

/** Throws BODY_TOO_LARGE for a message, or a list of messages, longer than the chat accepts. */
export function assertSizes(messages: readonly { readonly parts: readonly Part[] }[]): void {
  if (messages.length > maxMessages) throw tooLong("messages", messages.length, maxMessages);
  for (const { parts } of messages) {
    const sizes = { text: 0, data: 0 };
    for (const part of parts) measure(part, sizes);
    if (sizes.text > maxTextChars) throw tooLong("characters of text in one message", sizes.text, maxTextChars);
    if (sizes.data > maxDataChars) throw tooLong("characters of data in one message", sizes.data, maxDataChars);
  }
}

function measure(value: unknown, sizes: { text: number; data: number }, name = ""): void {
  if (typeof value === "string") sizes[name === "data" || name === "url" ? "data" : "text"] += value.length;
  else if (typeof value === "object" && value !== null) {
    for (const [key, inner] of Object.entries(value)) measure(inner, sizes, key);
  }
}

function tooLong(what: string, count: number, most: number): MidfoldError {
  return new MidfoldError("BODY_TOO_LARGE", `There are ${count} ${what}; the chat takes ${most}.`, {
    details: { what, count, most },
  });
}
