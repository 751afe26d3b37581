import type { FormatTraits } from "../formats/format.ts";
import { type Side, turnLines } from "../message/turn-lines.ts";

export interface FrameLinesInput {
  readonly text: string;
  /** Whose turn the kept messages before the frame end with, and who speaks right after it. */
  readonly before: Side | undefined;
  readonly after: Side | undefined;
  readonly traits: FormatTraits;
  readonly role: "system" | "user" | "assistant";
}

interface Line {
  readonly role: "system" | "user" | "assistant";
  readonly text: string;
}

/**
 * Who says the frame, and short lines of the other side where two turns of one side would meet. A preset that wants the
 * system or the assistant to say it is followed wherever the protocol allows that.
 */
export function frameLines({ text, before, after, traits, role }: FrameLinesInput): readonly Line[] {
  if (!takesTurns(traits, role)) return [{ role, text }];
  if (role === "assistant" && before === "user") {
    // A list that ends with the assistant would be taken for the start of its answer, which some models refuse.
    return after === "user" ? [{ role, text }] : [{ role, text }, line("user")];
  }
  const said: Line = { role: "user", text };
  return [...(before === "user" ? [line("assistant")] : []), said, ...(after === "user" ? [line("assistant")] : [])];
}

function line(role: Side): Line {
  return { role, text: turnLines[role] };
}

/** Whether short lines of the other side may have to stand beside a frame that this role says. */
export function takesTurns(traits: FormatTraits, role: FrameLinesInput["role"]): boolean {
  return traits.alternates || role === "user" || (role === "system" && !traits.laterSystem);
}
