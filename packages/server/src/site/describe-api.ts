import { consoleOperations } from "../api/console-operations.ts";
import { writeOpenapi } from "../api/write-openapi.ts";

type Json = Record<string, unknown>;

/** The gateway's own paths. Bodies are the providers': their SDKs and documents describe them. */
const gatewayPaths: readonly (readonly [method: string, path: string, summary: string, protocol: string])[] = [
  ["post", "/v1/messages", "Anthropic Messages, streaming or not", "anthropic-messages"],
  ["post", "/v1/messages/count_tokens", "The size of a request, before any fold", "anthropic-messages"],
  ["post", "/v1/chat/completions", "OpenAI Chat Completions, streaming or not", "openai-chat"],
  ["post", "/v1/responses", "OpenAI Responses, streaming or not", "openai-responses"],
  ["post", "/v1/responses/compact", "A conversation folded into items that stand for it", "openai-responses"],
  ["post", "/v1/responses/input_tokens", "The size of a request, before any fold", "openai-responses"],
  ["get", "/v1/models", "Models, in the shape of whoever asks", "both"],
  ["get", "/v1/models/{model}", "One model", "both"],
];

const statusPaths: readonly (readonly [path: string, summary: string])[] = [
  ["/healthz", "Alive: the event loop turns"],
  ["/readyz", "Ready: takes requests, and the store answers"],
  ["/metrics", "Prometheus metrics"],
];

const reportHeaders: Readonly<Record<string, string>> = {
  "X-Context-Compressed": "`true` when the conversation was folded",
  "X-Original-Tokens": "Size before the fold",
  "X-Compressed-Tokens": "Size after the fold",
  "X-Midfold-Window": "The window the request had to fit",
  "X-Midfold-Budget": "What the input may weigh: window − output reserve − safety",
  "X-Midfold-Fold": "Id of the fold; the same as long as the folded prefix stays",
  "X-Midfold-Break-Even":
    "After how many further calls the fold has paid for writing its messages anew into the provider's cache; 0 if that was cold",
  "X-Midfold-Clipped": "The last user message was too large: its size, and what was sent of it",
  "X-Midfold-Rungs": "What was done, cheapest first",
  "X-Midfold-Dropped": "Fields that have no place in the upstream's protocol",
  "Server-Timing": "Milliseconds Midfold added before sending, and of those in folding",
};

/** Every path of the server in one OpenAPI document. */
export function describeApi(version: string): Json {
  const document = writeOpenapi({ version, further: consoleOperations }) as {
    info: Json;
    paths: Record<string, Json>;
  } & Json;
  const paths: Record<string, Json> = {};
  for (const [method, path, summary, protocol] of gatewayPaths) {
    paths[path] = { ...paths[path], [method]: describe(method, path, summary, protocol) };
  }
  for (const [path, summary] of statusPaths) {
    paths[path] = { get: { tags: ["status"], summary, responses: { "200": { description: summary } } } };
  }
  return { ...document, info: { ...document.info, title: "Midfold" }, paths: { ...paths, ...document.paths } };
}

function describe(method: string, path: string, summary: string, protocol: string): Json {
  const headers = Object.fromEntries(
    Object.entries(reportHeaders).map(([name, description]) => [name, { description, schema: { type: "string" } }]),
  );
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  return {
    operationId: `${method}${path.replaceAll(/[^a-z]+(\w)/gi, (_, letter: string) => letter.toUpperCase()).replace(/[^a-z]/gi, "")}`,
    tags: ["gateway"],
    summary,
    description: `Protocol: ${protocol}. Errors come in the protocol's own envelope.`,
    parameters:
      method === "post"
        ? [
            {
              name: "X-Disable-Compression",
              in: "header",
              required: false,
              description: "`true` forwards the request as it is",
              schema: { type: "string" },
            },
          ]
        : parameters,
    ...(method === "post"
      ? { requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } } }
      : {}),
    responses: {
      "200": {
        description: summary,
        headers,
        content: {
          "application/json": { schema: { type: "object" } },
          "text/event-stream": { schema: { type: "string" } },
        },
      },
      default: { description: "An error in the protocol's own envelope" },
    },
  };
}
