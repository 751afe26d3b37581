import { EventSourceParserStream } from "eventsource-parser/stream";

/** The objects of a server-sent event stream, in order; ends with the stream. */
export async function* readEvents<TEvent>(response: Response): AsyncGenerator<TEvent> {
  if (response.body === null) return;
  const text = response.body.pipeThrough(new TextDecoderStream());
  // Not `for await`: Safari cannot iterate over streams.
  const reader = text.pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield JSON.parse(next.value.data) as TEvent;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
