import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface EndlessUpstream {
  readonly url: string;
  written(): number;
  closedAt(): number;
}

/** An upstream that streams for ever, as fast as it is read. */
export async function withEndless<TResult>(work: (upstream: EndlessUpstream) => Promise<TResult>): Promise<TResult> {
  const chunk = { index: 0, delta: { content: "x".repeat(8_000) }, finish_reason: null };
  const frame = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [chunk] })}\n\n`;
  let written = 0;
  let closedAt = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "GET") return void response.end("{}");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const pump = () => {
      while (response.write(frame)) written += frame.length;
    };
    response.on("drain", pump);
    response.on("close", () => {
      closedAt = performance.now();
    });
    pump();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await work({ url: `http://127.0.0.1:${port}`, written: () => written, closedAt: () => closedAt });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
