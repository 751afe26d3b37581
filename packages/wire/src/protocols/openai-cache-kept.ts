import { isJsonObject } from "../neutral/json-object.ts";

/** In memory, after 5 to 10 minutes without use. */
const usualMs = 600_000;
const dayMs = 86_400_000;

/** How long OpenAI keeps a prefix, by what the request asks for. */
export function cacheKeptMs(body: unknown): number {
  return isJsonObject(body) && body.prompt_cache_retention === "24h" ? dayMs : usualMs;
}
