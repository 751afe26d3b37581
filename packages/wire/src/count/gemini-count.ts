import type { GoogleGenAI } from "@google/genai";
import type { ProviderAccess, ProviderCount } from "./provider-count.ts";
import { toGeminiContents } from "./to-gemini-contents.ts";

/** Gemini's `models.countTokens`, through its SDK, which is loaded with the first call. */
export function createGeminiCount({ apiKey, baseUrl }: ProviderAccess): ProviderCount {
  let client: GoogleGenAI | undefined;
  return {
    name: "gemini",
    async count(request, { timeoutMs, signal }) {
      if (client === undefined) {
        const { GoogleGenAI } = await import("@google/genai");
        // Upstreams are named by their OpenAI-compatible address; counting is beside it.
        const root = baseUrl?.replace(/\/v1beta\/openai\/?$/, "");
        client = new GoogleGenAI({ apiKey, ...(root !== undefined && { httpOptions: { baseUrl: root } }) });
      }
      const deadline = AbortSignal.timeout(timeoutMs);
      const { totalTokens } = await client.models.countTokens({
        model: request.model,
        contents: toGeminiContents(request),
        config: { abortSignal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]) },
      });
      if (totalTokens === undefined) throw new TypeError("Gemini's countTokens answered without totalTokens");
      return totalTokens;
    },
  };
}
