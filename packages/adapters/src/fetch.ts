import type { FormatName, Message, ToolsInput } from "@midfold/core";
import { createFoldRequest, type MidfoldOptions, overflowOf, type RequestFacts } from "./fold-request.ts";

export type { MidfoldOptions } from "./fold-request.ts";

type Body = Readonly<Record<string, unknown>>;

/** Where the three protocols keep what a fold needs. */
interface Protocol {
  readonly path: RegExp;
  readonly format: FormatName;
  readonly messages: string;
  readonly system: string | undefined;
  readonly maxOutput: readonly string[];
  /** The error the protocol sends when a request is too long. */
  overflow(message: string): unknown;
}

const openaiOverflow = (message: string) => ({
  error: { message, type: "invalid_request_error", code: "context_length_exceeded", param: null },
});

const protocols: readonly Protocol[] = [
  {
    path: /\/chat\/completions$/,
    format: "openai-chat",
    messages: "messages",
    system: undefined,
    maxOutput: ["max_completion_tokens", "max_tokens"],
    overflow: openaiOverflow,
  },
  {
    path: /\/responses$/,
    format: "openai-responses",
    messages: "input",
    system: "instructions",
    maxOutput: ["max_output_tokens"],
    overflow: openaiOverflow,
  },
  {
    path: /\/messages$/,
    format: "anthropic-messages",
    messages: "messages",
    system: "system",
    maxOutput: ["max_tokens"],
    overflow: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
  },
];

/**
 * A `fetch` that folds requests to OpenAI's and Anthropic's endpoints on their way out and passes everything else through.
 * Any SDK that takes a `fetch` can use it. A request that cannot be made to fit is answered as the provider would answer it,
 * so that SDKs do not take it for a broken connection and try again.
 *
 * @example const client = new OpenAI({ fetch: midfoldFetch() });
 */
export function midfoldFetch(options: MidfoldOptions = {}, next: typeof fetch = fetch): typeof fetch {
  const foldRequest = createFoldRequest(options);
  return async (input, init) => {
    const protocol = protocolOf(input);
    const body = protocol === undefined ? undefined : parse(init?.body);
    const messages = protocol === undefined ? undefined : body?.[protocol.messages];
    if (protocol === undefined || body === undefined || !Array.isArray(messages)) return next(input, init);
    try {
      const result = await foldRequest(messages as readonly unknown[], factsOf(protocol, body, init?.signal));
      if (!result.changed) return next(input, init);
      const headers = new Headers(init?.headers);
      headers.delete("content-length");
      const folded = JSON.stringify({ ...body, [protocol.messages]: result.messages });
      return next(input, { ...init, headers, body: folded });
    } catch (error) {
      const message = overflowOf(error);
      if (message === undefined) throw error;
      return Response.json(protocol.overflow(message), { status: 400 });
    }
  };
}

/** A client of OpenAI's or Anthropic's SDK. */
export interface Client {
  withOptions(options: { fetch: typeof fetch }): this;
}

/**
 * The same client, whose requests always fit: chat, Responses and Messages, streaming and helpers included.
 *
 * @example const client = withMidfold(new OpenAI());
 */
export function withMidfold<T extends Client>(client: T, options: MidfoldOptions = {}): T {
  // The SDKs keep the fetch they were given in a field that their types hide.
  const { fetch: own } = client as unknown as { readonly fetch?: typeof fetch };
  return client.withOptions({ fetch: midfoldFetch(options, own ?? fetch) });
}

function protocolOf(input: Parameters<typeof fetch>[0]): Protocol | undefined {
  const { pathname } = new URL(input instanceof Request ? input.url : input);
  return protocols.find(({ path }) => path.test(pathname));
}

function parse(body: unknown): Body | undefined {
  if (typeof body !== "string") return undefined;
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Body) : undefined;
  } catch {
    return undefined;
  }
}

function factsOf(
  { format, system, maxOutput }: Protocol,
  body: Body,
  signal: AbortSignal | null | undefined,
): RequestFacts {
  const { model, tools } = body;
  const limit = maxOutput.map((field) => body[field]).find((value) => typeof value === "number");
  return {
    format,
    model: typeof model === "string" ? model : undefined,
    system: system === undefined ? undefined : systemOf(body[system]),
    tools: Array.isArray(tools) ? (tools as ToolsInput) : undefined,
    maxOutputTokens: limit,
    signal: signal ?? undefined,
  };
}

/** A system prompt that stands beside the messages: a text, or Anthropic's text blocks. */
function systemOf(system: unknown): string | readonly Message[] | undefined {
  if (typeof system === "string") return system;
  if (!Array.isArray(system)) return undefined;
  return system.map((block: { readonly text?: string }) => ({
    role: "system",
    parts: [{ type: "text", text: block.text ?? "" }],
  }));
}
