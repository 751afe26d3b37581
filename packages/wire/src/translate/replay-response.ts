import { compact } from "../neutral/json-object.ts";
import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { StreamEvent } from "../neutral/stream-event.ts";

/** A whole answer as the events of a stream, for clients that asked for one where the upstream did not stream. */
export function replayResponse(response: NeutralResponse): StreamEvent[] {
  const { id, model, usage } = response;
  const events: StreamEvent[] = [compact({ type: "response-start" as const, id, model, usage })];
  for (const [index, part] of response.parts.entries()) {
    switch (part.type) {
      case "text":
        events.push({ type: "text-start", index });
        if (part.text !== "") events.push({ type: "text-delta", index, text: part.text });
        events.push({ type: "text-end", index });
        break;
      case "reasoning": {
        const { signature, opaque } = part;
        const redacted = part.text === "" && opaque !== undefined;
        events.push(redacted ? { type: "reasoning-start", index, opaque } : { type: "reasoning-start", index });
        if (part.text !== "") events.push({ type: "reasoning-delta", index, text: part.text });
        events.push(compact({ type: "reasoning-end" as const, index, signature, opaque }));
        break;
      }
      case "tool-call": {
        const { id: callId, name, custom, hosted } = part;
        events.push(compact({ type: "tool-call-start" as const, index, id: callId, name, custom, hosted }));
        if (part.input !== "") events.push({ type: "tool-call-delta", index, text: part.input });
        events.push({ type: "tool-call-end", index });
        break;
      }
      default:
        events.push({ type: "part-available", index, part });
    }
  }
  if (usage !== undefined) events.push({ type: "usage-available", usage });
  events.push(compact({ type: "finish" as const, reason: response.finish, stopSequence: response.stopSequence }));
  return events;
}
