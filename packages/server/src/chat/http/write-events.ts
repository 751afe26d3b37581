/** Comment lines keep proxies from closing a quiet stream. */
const pingMs = 15_000;

export interface EventStreamOptions {
  /** Called once when the client is gone or the stream has ended. */
  readonly onClose?: () => void;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Server-sent events from an async iterable; `event:` repeats the type. Pulled only as fast as the client reads. */
export function eventResponse(
  events: AsyncIterable<{ readonly type: string }>,
  options: EventStreamOptions = {},
): Response {
  const encoder = new TextEncoder();
  const iterator = events[Symbol.asyncIterator]();
  let pending: Promise<IteratorResult<{ readonly type: string }>> | undefined;
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    options.onClose?.();
  };
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      pending ??= iterator.next();
      const next = await withPing(pending);
      if (!open) return;
      if (next === "ping") return controller.enqueue(encoder.encode(": ping\n\n"));
      pending = undefined;
      if (next.done === true) {
        close();
        return controller.close();
      }
      controller.enqueue(encoder.encode(`event: ${next.value.type}\ndata: ${JSON.stringify(next.value)}\n\n`));
    },
    async cancel() {
      close();
      // A generator that has not started skips its `finally` on `return`, so it is started first.
      pending ??= iterator.next();
      await iterator.return?.();
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      ...options.headers,
    },
  });
}

async function withPing<TValue>(promise: Promise<TValue>): Promise<TValue | "ping"> {
  let timer: NodeJS.Timeout | undefined;
  const ping = new Promise<"ping">((resolve) => {
    timer = setTimeout(() => resolve("ping"), pingMs);
    timer.unref();
  });
  try {
    return await Promise.race([promise, ping]);
  } finally {
    clearTimeout(timer);
  }
}
