import { readEvents } from "./read-events.ts";
import { send } from "./request.ts";

export interface Watcher<TEvent> {
  readonly onEvent: (event: TEvent) => void;
  /** Called each time the stream is open: state read before may have missed something. */
  readonly onOpen?: (again: boolean) => void;
}

/** Follows a GET event stream and reconnects until stopped. `fetch`, since EventSource cannot send a key. */
export function watchEvents<TEvent extends { readonly type: string }>(
  path: string,
  { onEvent, onOpen }: Watcher<TEvent>,
): () => void {
  const abort = new AbortController();
  let attempts = 0;
  let opened = false;
  const run = async () => {
    while (!abort.signal.aborted) {
      try {
        const response = await send("GET", path, { accept: "text/event-stream", signal: abort.signal });
        attempts = 0;
        onOpen?.(opened);
        opened = true;
        for await (const event of readEvents<TEvent>(response)) onEvent(event);
      } catch {
        if (abort.signal.aborted) return;
      }
      attempts += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.min(15_000, 500 * 2 ** attempts)));
    }
  };
  void run();
  return () => abort.abort();
}
