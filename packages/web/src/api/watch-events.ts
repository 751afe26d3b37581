import { ApiError } from "./api-error.ts";
import { readEvents } from "./read-events.ts";
import { send } from "./request.ts";

export interface Watcher<TEvent> {
  readonly onEvent: (event: TEvent) => void;
  /**
   * Called each time the stream is open; `again` is true when state that was read before may be outdated, or could not
   * be read.
   */
  readonly onOpen?: (again: boolean) => void;
  /** Called when the server cannot be reached. A stream that merely breaks off is opened again without calling this. */
  readonly onLost?: () => void;
}

/** Follows a GET event stream and reconnects until stopped. Uses `fetch`, since EventSource cannot send a key. */
export function watchEvents<TEvent extends { readonly type: string }>(
  path: string,
  { onEvent, onOpen, onLost }: Watcher<TEvent>,
): () => void {
  const abort = new AbortController();
  let attempts = 0;
  let opened = false;
  const run = async () => {
    while (!abort.signal.aborted) {
      try {
        const response = await send("GET", path, { accept: "text/event-stream", signal: abort.signal });
        onOpen?.(opened || attempts > 0);
        opened = true;
        attempts = 0;
        for await (const event of readEvents<TEvent>(response)) onEvent(event);
      } catch (error) {
        if (abort.signal.aborted) return;
        if (attempts > 0 && !(error instanceof ApiError)) onLost?.();
      }
      attempts += 1;
      await new Promise((resolve) => setTimeout(resolve, Math.min(15_000, 500 * 2 ** attempts)));
    }
  };
  void run();
  return () => abort.abort();
}
