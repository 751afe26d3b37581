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
