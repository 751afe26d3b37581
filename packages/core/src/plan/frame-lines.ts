import type { FormatTraits } from "../formats/format.ts";
import type { Message } from "../message/message.ts";

export interface FrameLinesInput {
  readonly text: string;
  /** The kept messages before and after the frame, leading system messages aside. */
  readonly previous: Message | undefined;
  readonly next: Message | undefined;
  readonly traits: FormatTraits;
  readonly role: "system" | "user" | "assistant";
}

interface Line {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
}

const acknowledgement = "Understood: that is the record of what came before.";
const continuation = "[The conversation goes on below.]";

/**
 * Who says the frame. Where user and assistant must take turns it is whoever's turn it is, with one more line where the
 * neighbours leave two turns open; elsewhere it is the role the preset names.
 */
export function frameLines({ text, previous, next, traits, role }: FrameLinesInput): readonly Line[] {
  if (!traits.alternates) return [{ role: role === "system" && !traits.laterSystem ? "user" : role, text }];
  const before = side(previous);
  const after = side(next);
  if (before === "user") {
    const said: Line = { role: "assistant", text };
    // A list that ends with the assistant would be taken for the start of its answer, which some models refuse.
    return after === "user" ? [said] : [said, { role: "user", text: continuation }];
  }
  const said: Line = { role: "user", text };
  return after === "user" ? [said, { role: "assistant", text: acknowledgement }] : [said];
}

/** Whose turn a message is on the wire: tool results are sent by the user's side. */
function side(message: Message | undefined): "user" | "assistant" | undefined {
  if (message === undefined || message.role === "system") return undefined;
  return message.role === "assistant" ? "assistant" : "user";
}
