/** The objects of a server-sent event stream, in order; ends with the stream. */
export async function* readEvents<TEvent>(response: Response): AsyncGenerator<TEvent> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    while (true) {
      const { done, value } = await reader.read();
      if (done) return;
      const frames = (rest + value.replaceAll("\r\n", "\n")).split("\n\n");
      rest = frames.pop() ?? "";
      for (const frame of frames) {
        const data = frame
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).trimStart())
          .join("\n");
        if (data !== "") yield JSON.parse(data) as TEvent;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
