import type { MessageCountTokensParams } from "@anthropic-ai/sdk/resources/messages/messages";
import { compact } from "../protocols/json-object.ts";
import type { NeutralRequest } from "../protocols/neutral-request.ts";
import { protocols } from "../protocols/protocols.ts";
import { traitsOf } from "../traits/traits-of.ts";
import { stripSources } from "../translate/strip-sources.ts";
import type { CountRequest, ProviderAccess, ProviderCount } from "./provider-count.ts";

/** Anthropic's `messages.countTokens`, through its SDK, which is loaded with the first call. */
export function createAnthropicCount({ apiKey, baseUrl }: ProviderAccess): ProviderCount {
  const load = once(async () => {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    // One try: whoever waits for a count is better served by our own than by a second attempt.
    return new Anthropic({ apiKey, maxRetries: 0, ...(baseUrl !== undefined && { baseURL: baseUrl }) });
  });
  return {
    name: "anthropic",
    async count(request, { timeoutMs, signal }) {
      const client = await load();
      const options = { timeout: timeoutMs, ...(signal !== undefined && { signal }) };
      const { input_tokens } = await client.messages.countTokens(toParams(request), options);
      return input_tokens;
    },
  };
}

/** The request as the Messages API takes it, without what the counting endpoint refuses. */
function toParams(request: CountRequest): MessageCountTokensParams {
  const { body } = protocols["anthropic-messages"].encodeRequest(toNeutral(request), traitsOf("anthropic"));
  const { model, system, messages, tools, tool_choice } = body;
  return compact({ model, messages, system, tools, tool_choice }) as never;
}

function toNeutral({ model, messages, tools = [], toolChoice }: CountRequest): NeutralRequest {
  const start = messages.findIndex((message) => message.role !== "system");
  const head = start < 0 ? messages.length : start;
  return {
    model,
    system: messages.slice(0, head).map(stripSources),
    messages: messages.slice(head).map(stripSources),
    tools: tools.map(({ source: _, ...tool }) => ({ ...tool, kind: "function" as const })),
    ...(toolChoice !== undefined && { toolChoice }),
    stop: [],
    stream: false,
    includeUsage: false,
    contextEdits: [],
    extra: {},
    source: undefined,
  };
}

/** Loads once, and again after a failure. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
