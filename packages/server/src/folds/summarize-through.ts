import { setTimeout as sleep } from "node:timers/promises";
import type { Summarizer } from "@midfold/core";
import { createModelSummarizer } from "@midfold/wire";
import type { Identity } from "../guard/identity.ts";
import type { Destination } from "../upstreams/destination.ts";

/** What a model may take to write a summary. */
const timeoutMs = 120_000;

/** Summaries written by the model at a destination, with the caller's key. */
export function summarizeThrough(destination: Destination, identity: Identity): Summarizer {
  return createModelSummarizer({
    client: { send: (_, request) => destination.send(request, identity.providerKey), close: async () => undefined },
    upstream: { name: destination.upstream, baseUrl: "" },
    protocol: destination.protocol,
    traits: destination.traits,
    models: [destination.model],
    timeoutMs,
  });
}

/** How much of its window the writer may read of a conversation: the rest is for the prompt and the summary. */
export const readableTokens = (destination: Destination): number => Math.floor(destination.info.window * 0.7);

/** The pause between two attempts; ends early when the signal does. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal });
}
