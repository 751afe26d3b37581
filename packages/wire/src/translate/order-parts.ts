import type { StreamEvent } from "../neutral/stream-event.ts";

/**
 * Lets one part through at a time. Parallel tool calls arrive interleaved, and clients of protocols whose parts follow
 * one another lose arguments that come out of turn; so what belongs to a later part waits until the open one ends.
 */
export function createPartOrder(): (event: StreamEvent) => readonly StreamEvent[] {
  let open: number | undefined;
  const waiting = new Map<number, StreamEvent[]>();

  const release = (out: StreamEvent[]): void => {
    while (open === undefined && waiting.size > 0) {
      const [index, events] = waiting.entries().next().value as [number, StreamEvent[]];
      waiting.delete(index);
      open = index;
      for (const event of events) {
        out.push(event);
        if (isEnd(event)) open = undefined;
      }
    }
  };

  return (event) => {
    if (!("index" in event)) {
      if (event.type === "error") waiting.clear();
      return [event];
    }
    if (open !== undefined && event.index !== open) {
      const queue = waiting.get(event.index);
      if (queue === undefined) waiting.set(event.index, [event]);
      else queue.push(event);
      return [];
    }
    open = event.index;
    if (!isEnd(event)) return [event];
    open = undefined;
    const out = [event];
    release(out);
    return out;
  };
}

function isEnd(event: StreamEvent): boolean {
  return event.type.endsWith("-end") || event.type === "part-available";
}
