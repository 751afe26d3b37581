import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const refusals = {
  refuse: [400, "no"],
  "bad-key": [401, "Incorrect API key provided."],
  busy: [429, "Rate limit reached for stubborn-1."],
} as const;

export interface StubbornModel {
  /** Models named `stubborn-…` come from it, all others from the demo. */
  readonly yaml: string;
  mode: "hang" | "answer" | keyof typeof refusals;
  /** What it answers, in that mode. */
  words: string;
  close(): void;
}

/** A model that refuses, never answers or says what it is told to. */
export async function startStubbornModel(): Promise<StubbornModel> {
  const server = createServer((request, response) => {
    request.resume();
    if (request.method === "GET") {
      response.writeHead(200, { "content-type": "application/json" });
      response.end('{"object":"list","data":[]}');
      return;
    }
    if (model.mode === "hang") return;
    if (model.mode === "answer") {
      const message = { role: "assistant", content: model.words };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }] }),
      );
      return;
    }
    const [status, message] = refusals[model.mode];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: { message, type: "invalid_request_error" } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const model: StubbornModel = {
    yaml: [
      "upstreams:",
      `  stubborn: { provider: vllm, baseUrl: "http://127.0.0.1:${port}/v1", protocol: openai-chat, credentials: none }`,
      "  demo: { provider: demo }",
      "routes:",
      "  - { model: stubborn-*, upstream: stubborn }",
      '  - { model: "*", upstream: demo }',
    ].join("\n"),
    mode: "refuse",
    words: "",
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return model;
}
