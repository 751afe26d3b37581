import type { Message } from "../message/message.ts";
import { type Frame, frameInPart, readFrame } from "./frame.ts";

/** Takes the frames of earlier folds out of a list, so that what they say can be merged instead of quoted again. */
export function takeFrames(
  messages: readonly Message[],
  previous: string | undefined,
): { frames: Frame[]; rest: Message[] } {
  const frames: Frame[] = [];
  if (previous !== undefined && previous.trim() !== "") frames.push(readFrame(previous));
  const rest: Message[] = messages.map((message) => {
    const parts = message.parts.filter((part) => {
      const frame = frameInPart(message, part);
      if (frame !== undefined) frames.push(frame);
      return frame === undefined;
    });
    return parts.length === message.parts.length ? message : { ...message, parts };
  });
  return { frames, rest };
}
