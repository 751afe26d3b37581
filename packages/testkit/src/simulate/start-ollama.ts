import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { countText } from "./count-text.ts";

export interface OllamaModel {
  readonly name: string;
  /** `PARAMETER num_ctx` of its Modelfile; without one Ollama runs it with 4096. */
  readonly numCtx?: number;
  /** What the model card says. */
  readonly contextLength?: number;
  readonly capabilities?: readonly string[];
}

export interface OllamaMessage {
  readonly role: string;
  readonly content: unknown;
}

export interface OllamaOptions {
  readonly models: readonly OllamaModel[];
  /** The answer to what the model sees, which is not always all that was sent. */
  readonly answer?: (seen: readonly OllamaMessage[]) => string;
}

export interface OllamaRequest {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

export interface Ollama {
  readonly url: string;
  readonly requests: readonly OllamaRequest[];
  close(): Promise<void>;
}

const defaultContext = 4_096;

/**
 * A stand-in for Ollama as it behaves on a machine: its own pages beside the OpenAI-compatible ones, models that are loaded
 * with the first request, and no word about a request that is longer than `num_ctx`: the oldest messages are dropped.
 */
export async function startOllama({ models, answer = () => "ok" }: OllamaOptions): Promise<Ollama> {
  const requests: OllamaRequest[] = [];
  const loaded = new Set<string>();
  const contextOf = ({ numCtx }: OllamaModel) => numCtx ?? defaultContext;
  const find = (name: unknown) =>
    models.find((model) => model.name === name || model.name === `${String(name)}:latest`);

  const complete = (response: ServerResponse, body: Record<string, unknown>) => {
    const model = find(body.model);
    if (model === undefined) {
      const message = `model ${JSON.stringify(body.model)} not found, try pulling it first`;
      return sendJson(response, 404, { error: { message, type: "api_error", param: null, code: null } });
    }
    loaded.add(model.name);
    const sent = (Array.isArray(body.messages) ? body.messages : []) as readonly OllamaMessage[];
    if (sent.some(holdsPicture) && model.capabilities?.includes("vision") !== true) {
      const message = "this model is missing data required for image input";
      return sendJson(response, 500, { error: { message, type: "api_error", param: null, code: null } });
    }
    const { seen, tokens } = fit(sent, contextOf(model));
    const text = answer(seen);
    const usage = { prompt_tokens: tokens, completion_tokens: countText(text), total_tokens: tokens + countText(text) };
    const common = {
      id: "chatcmpl-1",
      created: Math.floor(Date.now() / 1000),
      model: model.name,
      system_fingerprint: "fp_ollama",
    };
    if (body.stream !== true) {
      const choice = { index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" };
      return sendJson(response, 200, { ...common, object: "chat.completion", choices: [choice], usage });
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (more: object) =>
      response.write(`data: ${JSON.stringify({ ...common, object: "chat.completion.chunk", ...more })}\n\n`);
    for (const piece of text.match(/\s*\S+/g) ?? []) {
      chunk({ choices: [{ index: 0, delta: { role: "assistant", content: piece }, finish_reason: null }] });
    }
    chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: "stop" }] });
    const wantsUsage = (body.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
    if (wantsUsage) chunk({ choices: [], usage });
    response.end("data: [DONE]\n\n");
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const text = Buffer.concat(await request.toArray()).toString();
    const body = (text === "" ? {} : JSON.parse(text)) as Record<string, unknown>;
    const { method = "", url: path = "" } = request;
    requests.push({ method, path, body });
    const details = (name: string) => ({
      format: "gguf",
      family: name.split(/[\d.:]/)[0],
      quantization_level: "Q4_K_M",
    });
    switch (`${method} ${path}`) {
      case "GET /":
        response.writeHead(200, { "content-type": "text/plain" });
        return response.end("Ollama is running");
      case "GET /api/version":
        return sendJson(response, 200, { version: "0.12.6" });
      case "GET /api/tags":
        return sendJson(response, 200, {
          models: models.map(({ name }) => ({ name, model: name, size: 2_019_393_189, details: details(name) })),
        });
      case "GET /api/ps":
        return sendJson(response, 200, {
          models: models
            .filter(({ name }) => loaded.has(name))
            .map((model) => ({ name: model.name, model: model.name, context_length: contextOf(model) })),
        });
      case "POST /api/show": {
        const model = find(body.model ?? body.name);
        if (model === undefined) return sendJson(response, 404, { error: `model '${String(body.model)}' not found` });
        const { name, numCtx, contextLength = 131_072, capabilities = ["completion"] } = model;
        return sendJson(response, 200, {
          parameters: `stop                           "<|eot_id|>"${numCtx === undefined ? "" : `\nnum_ctx                        ${numCtx}`}`,
          details: details(name),
          model_info: { "general.architecture": "llama", "llama.context_length": contextLength },
          capabilities,
        });
      }
      case "GET /v1/models":
        return sendJson(response, 200, {
          object: "list",
          data: models.map(({ name }) => ({ id: name, object: "model", created: 1_727_000_000, owned_by: "library" })),
        });
      case "POST /v1/chat/completions":
        return complete(response, body);
      default:
        response.writeHead(404, { "content-type": "text/plain" });
        return response.end("404 page not found");
    }
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error) => sendJson(response, 500, { error: String(error) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

const holdsPicture = ({ content }: OllamaMessage) =>
  Array.isArray(content) && content.some((part) => (part as { type?: string }).type === "image_url");

/** What is left for the model to see: the system prompt and the newest messages that fit, the last one always. */
function fit(sent: readonly OllamaMessage[], context: number): { seen: readonly OllamaMessage[]; tokens: number } {
  const sizeOf = ({ content }: OllamaMessage) =>
    4 + countText(typeof content === "string" ? content : JSON.stringify(content));
  const system = sent.filter(({ role }) => role === "system");
  const others = sent.filter(({ role }) => role !== "system");
  let tokens = system.reduce((sum, message) => sum + sizeOf(message), 0);
  let first = others.length;
  while (first > 0) {
    const size = sizeOf(others[first - 1] as OllamaMessage);
    if (first < others.length && tokens + size > context) break;
    tokens += size;
    first -= 1;
  }
  return { seen: [...system, ...others.slice(first)], tokens: Math.min(tokens, context) };
}
