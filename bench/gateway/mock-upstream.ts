// An upstream that costs next to nothing, so that what is measured is what stands before it.
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

const usageOf = (bytes: number) => ({ input_tokens: Math.ceil(bytes / 4), output_tokens: 2 });
const anthropicAnswer = (bytes: number) =>
  JSON.stringify({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-opus-4-5",
    content: [{ type: "text", text: "Hello." }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: usageOf(bytes),
  });
const responsesAnswer = (bytes: number) =>
  JSON.stringify({
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    error: null,
    incomplete_details: null,
    model: "gpt-4o",
    output: [
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: "Hello.", annotations: [] }],
      },
    ],
    usage: {
      ...usageOf(bytes),
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: Math.ceil(bytes / 4) + 2,
    },
  });
const answerTo = (path: string, bytes: number) =>
  path.endsWith("/messages")
    ? anthropicAnswer(bytes)
    : path.endsWith("/responses")
      ? responsesAnswer(bytes)
      : chatAnswer(bytes);
const chatAnswer = (bytes: number) =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "gpt-4o",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, logprobs: null, finish_reason: "stop" }],
    usage: { prompt_tokens: Math.ceil(bytes / 4), completion_tokens: 2, total_tokens: Math.ceil(bytes / 4) + 2 },
  });
const frame = (content: string, finish: string | null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-4o", choices: [{ index: 0, delta: finish === null ? { content } : {}, logprobs: null, finish_reason: finish }] })}\n\n`;
const chunks = 20;
const chunkMs = 10;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    request.resume();
    response.end("{}");
    return;
  }
  let head = "";
  let size = 0;
  request.on("data", (bytes: Buffer) => {
    size += bytes.length;
    // Large bodies say it at their start; small ones are looked through, since some gateways reorder the fields.
    if (head.length < 4_000) head += bytes.toString("latin1", 0, 4_000);
  });
  request.on("end", async () => {
    if (!head.includes('"stream":true')) {
      const answer = answerTo(request.url ?? "", size);
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(answer) });
      response.end(answer);
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let i = 0; i < chunks; i++) {
      response.write(frame("word ", null));
      await sleep(chunkMs);
    }
    response.end(`${frame("", "stop")}data: [DONE]\n\n`);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`READY ${(server.address() as { port: number }).port}`));
