import type { NeutralResponse } from "../neutral/neutral-response.ts";
import type { StreamStage } from "./stream-stage.ts";

/** Cuts the client's own start of the answer when the model repeats it: the client expects what comes after. */
export function createPrefillStripper(prefill: string): StreamStage {
  let matched = 0;
  let open = true;
  return (event) => {
    if (!open) return [event];
    if (event.type === "text-delta") {
      const expected = prefill.slice(matched);
      if (expected.startsWith(event.text)) {
        matched += event.text.length;
        if (matched === prefill.length) open = false;
        return [];
      }
      open = false;
      const text = event.text.startsWith(expected)
        ? event.text.slice(expected.length)
        : prefill.slice(0, matched) + event.text;
      return text === "" ? [] : [{ ...event, text }];
    }
    // The text ended as a mere beginning of the prefill: it was the model's own after all.
    if (event.type === "text-end" && matched > 0) {
      open = false;
      return [{ type: "text-delta", index: event.index, text: prefill.slice(0, matched) }, event];
    }
    return [event];
  };
}

/** The same for a whole answer. */
export function stripPrefill(response: NeutralResponse, prefill: string): NeutralResponse {
  const at = response.parts.findIndex((part) => part.type === "text");
  const part = response.parts[at];
  if (part?.type !== "text" || !part.text.startsWith(prefill)) return response;
  const parts = [...response.parts];
  parts[at] = { type: "text", text: part.text.slice(prefill.length) };
  return { ...response, parts };
}
