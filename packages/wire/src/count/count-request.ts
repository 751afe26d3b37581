import type { TokenCounter } from "@midfold/core";
import type { CountRequest, ProviderCount } from "./provider-count.ts";

export interface CountRequestOptions {
  /** Counts when there is no provider, or it does not answer. */
  readonly local: TokenCounter;
  readonly provider?: ProviderCount;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface CountedRequest {
  readonly tokens: number;
  readonly countedBy: "provider" | "local";
  /** Why the provider did not count, for the log. */
  readonly failure?: unknown;
}

/** The size of a request: as its provider counts it, or, when that fails or takes too long, as we do. */
export async function countRequest(request: CountRequest, options: CountRequestOptions): Promise<CountedRequest> {
  const { local, provider, timeoutMs = 3000, signal } = options;
  const here = () => local.countMessages(request.messages) + local.countTools(request.tools ?? [], request.toolChoice);
  if (provider === undefined) return { tokens: here(), countedBy: "local" };
  try {
    const tokens = await provider.count(request, { timeoutMs, ...(signal !== undefined && { signal }) });
    if (!(Number.isSafeInteger(tokens) && tokens >= 0)) throw new RangeError(`${provider.name} counted ${tokens}`);
    return { tokens, countedBy: "provider" };
  } catch (failure) {
    return { tokens: here(), countedBy: "local", failure };
  }
}
