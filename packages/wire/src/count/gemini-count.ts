import type { Part } from "@midfold/core";
import type { CountRequest, ProviderAccess, ProviderCount } from "./provider-count.ts";

interface Content {
  readonly role: "user" | "model";
  readonly parts: GeminiPart[];
}

type GeminiPart =
  | { readonly text: string; readonly thought?: boolean }
  | { readonly inlineData: { readonly mimeType: string; readonly data: string } }
  | { readonly functionCall: { readonly name: string; readonly args: Readonly<Record<string, unknown>> } }
  | { readonly functionResponse: { readonly name: string; readonly response: { readonly output: string } } };

const publicUrl = "https://generativelanguage.googleapis.com";

/** Gemini's `models.countTokens`. */
export function createGeminiCount({ apiKey, baseUrl }: ProviderAccess): ProviderCount {
  // Upstreams are named by their OpenAI-compatible address; counting is beside it.
  const root = (baseUrl ?? publicUrl).replace(/\/v1beta\/openai\/?$/, "");
  return {
    name: "gemini",
    async count(request, { timeoutMs, signal }) {
      const deadline = AbortSignal.timeout(timeoutMs);
      const response = await fetch(`${root}/v1beta/models/${encodeURIComponent(request.model)}:countTokens`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-goog-api-key": apiKey },
        body: JSON.stringify({ contents: toContents(request) }),
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new Error(`Gemini's countTokens answered ${response.status}`);
      }
      const { totalTokens } = (await response.json()) as { readonly totalTokens?: unknown };
      if (!Number.isSafeInteger(totalTokens)) throw new TypeError("Gemini's countTokens answered without totalTokens");
      return totalTokens as number;
    },
  };
}

/**
 * A request as Gemini's contents. The developer API refuses to count a system instruction or tools as such, so both go
 * in as text of the user, which is what they come to.
 */
function toContents({ messages, tools = [] }: CountRequest): Content[] {
  const contents: Content[] = [];
  if (tools.length > 0) {
    const shown = tools.map(({ name, description, schema }) => ({ name, description, parameters: schema }));
    contents.push({ role: "user", parts: [{ text: JSON.stringify(shown) }] });
  }
  const names = new Map<string, string>();
  for (const message of messages) {
    const parts: GeminiPart[] = [];
    for (const part of message.parts) {
      if (part.type === "tool-call") names.set(part.id, part.name);
      parts.push(...toParts(part, names));
    }
    if (parts.length === 0) continue;
    const role = message.role === "assistant" ? "model" : "user";
    const last = contents.at(-1);
    // Neighbours of one role are one turn.
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  }
  return contents;
}

function toParts(part: Part, names: ReadonlyMap<string, string>): GeminiPart[] {
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [{ text: part.text }];
    case "reasoning":
      return part.text === "" ? [] : [{ text: part.text, thought: true }];
    case "image":
    case "file":
      return inline(part);
    case "tool-call":
      return [{ functionCall: { name: part.name, args: parseArguments(part.input) } }];
    case "tool-result": {
      const text = part.content.map((inner) => (inner.type === "text" ? inner.text : "")).join("\n");
      const media = part.content.flatMap((inner) => (inner.type === "text" ? [] : toParts(inner, names)));
      const name = part.name ?? names.get(part.callId) ?? "tool";
      return [{ functionResponse: { name, response: { output: text } } }, ...media];
    }
    case "other":
      return [{ text: JSON.stringify(part.value) ?? "" }];
  }
}

function inline(part: Extract<Part, { type: "image" | "file" }>): GeminiPart[] {
  if (part.type === "file" && part.text !== undefined) return [{ text: part.text }];
  if (part.data === undefined) return [];
  const mimeType = part.mediaType ?? (part.type === "image" ? "image/png" : "application/octet-stream");
  return [{ inlineData: { mimeType, data: part.data } }];
}

function parseArguments(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Free text: below.
  }
  return { input };
}
