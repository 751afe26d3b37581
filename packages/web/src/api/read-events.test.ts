import { expect, test } from "vitest";
import { readEvents } from "./read-events.ts";

const streamOf = (...chunks: readonly string[]) => {
  const bytes = new TextEncoder();
  return new Response(
    new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(bytes.encode(chunk));
        controller.close();
      },
    }),
  );
};

const all = async (response: Response) => {
  const events: unknown[] = [];
  for await (const event of readEvents(response)) events.push(event);
  return events;
};

test("events are read wherever the chunks are cut, whatever ends a line", async () => {
  const text = ': ping\r\nevent: a\r\ndata: {"n":1}\r\n\r\nevent: b\rdata: {"n":2}\r\rdata: {"n":\ndata: 3}\n\n';
  const expected = [{ n: 1 }, { n: 2 }, { n: 3 }];
  expect(await all(streamOf(text))).toEqual(expected);
  for (let at = 1; at < text.length; at++) {
    expect(await all(streamOf(text.slice(0, at), text.slice(at))), `cut at ${at}`).toEqual(expected);
  }
});

test("a stream without a body has no events", async () => {
  expect(await all(new Response(null))).toEqual([]);
});
