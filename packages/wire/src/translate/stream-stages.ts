import type { StreamEvent } from "../neutral/stream-event.ts";

/** One step between a stream's decoder and its encoder: takes an event, hands on any number of them. */
export type StreamStage = (event: StreamEvent) => readonly StreamEvent[];

/** Runs an event through all stages in order. */
export function runStages(stages: readonly StreamStage[], events: readonly StreamEvent[]): readonly StreamEvent[] {
  let current = events;
  for (const stage of stages) {
    if (current.length === 1) current = stage(current[0] as StreamEvent);
    else current = current.flatMap((event) => stage(event));
  }
  return current;
}

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

/**
 * Enforces stop sequences the upstream could not take. As much text is held back as could be the start of one; after a
 * match nothing but the end of the answer and its cost goes out.
 */
export function createLocalStop(stops: readonly string[]): StreamStage {
  const longest = stops.reduce((most, stop) => Math.max(most, stop.length), 0);
  let held = "";
  let stopped: string | undefined;
  let openText: number | undefined;

  const takeText = (index: number, text: string): StreamEvent[] => {
    held += text;
    const hit = firstStop(held, stops);
    if (hit !== undefined) {
      stopped = hit.stop;
      const said = held.slice(0, hit.at);
      held = "";
      const end: StreamEvent = { type: "text-end", index };
      return said === "" ? [end] : [{ type: "text-delta", index, text: said }, end];
    }
    const keep = possibleStart(held, stops, longest);
    const said = held.slice(0, held.length - keep);
    held = held.slice(held.length - keep);
    return said === "" ? [] : [{ type: "text-delta", index, text: said }];
  };

  return (event) => {
    if (stopped !== undefined) {
      if (event.type === "finish") return [{ type: "finish", reason: "stop-sequence", stopSequence: stopped }];
      return event.type === "usage-available" || event.type === "error" ? [event] : [];
    }
    if (event.type === "text-start") openText = event.index;
    if (event.type === "text-delta") return takeText(event.index, event.text);
    if (event.type !== "text-end" || held === "" || openText === undefined) return [event];
    const rest: StreamEvent = { type: "text-delta", index: event.index, text: held };
    held = "";
    return [rest, event];
  };
}

function firstStop(text: string, stops: readonly string[]): { at: number; stop: string } | undefined {
  let first: { at: number; stop: string } | undefined;
  for (const stop of stops) {
    const at = text.indexOf(stop);
    if (at >= 0 && (first === undefined || at < first.at)) first = { at, stop };
  }
  return first;
}

/** How many characters at the end of the text may turn out to begin a stop sequence. */
function possibleStart(text: string, stops: readonly string[], longest: number): number {
  for (let keep = Math.min(longest - 1, text.length); keep > 0; keep--) {
    const end = text.slice(text.length - keep);
    if (stops.some((stop) => stop.startsWith(end))) return keep;
  }
  return 0;
}
