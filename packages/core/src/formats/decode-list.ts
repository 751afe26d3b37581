import { MidfoldError } from "../errors/midfold-error.ts";
import type { Message } from "../message/message.ts";
import { sameMessage } from "../message/same-message.ts";
import type { DecodeOptions } from "./format.ts";
import { describeValue, isWireObject, type WireObject } from "./wire-object.ts";

/** Decodes one wire object, or says in words what is wrong with it. A reason costs less than a throw when skipping. */
export type DecodeMessage = (wire: WireObject) => Message | string;

/** Runs one format's decoder over a list, and rejects or skips what it cannot read. */
export function decodeList(wire: readonly unknown[], decode: DecodeMessage, options: DecodeOptions = {}): Message[] {
  if (!Array.isArray(wire)) {
    throw new MidfoldError("INVALID_MESSAGE", `messages must be an array, not ${describeValue(wire)}.`);
  }
  const messages: Message[] = [];
  for (let index = 0; index < wire.length; index++) {
    const value: unknown = wire[index];
    const decoded = isWireObject(value) ? decode(value) : `must be an object, not ${describeValue(value)}`;
    if (typeof decoded !== "string") {
      messages.push(decoded);
      continue;
    }
    const details = { index: index + (options.after?.length ?? 0) };
    const message = `messages[${details.index}]: ${decoded}.`;
    if (options.onInvalid !== "skip") throw new MidfoldError("INVALID_MESSAGE", message, { details });
    options.warn?.({ code: "invalid-message-skipped", message, details });
  }
  return messages;
}

/** Whether a decoding that was just made says what an earlier one of the same wire object said. */
export function decodesTo(decoded: Message | string, message: Message): boolean {
  return typeof decoded !== "string" && sameMessage(decoded, message);
}
