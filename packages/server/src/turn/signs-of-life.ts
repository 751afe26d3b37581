import { sseHeaders } from "@midfold/wire";
import { toMidfoldError } from "../http/create-site.ts";
import type { Reply } from "../http/exchange.ts";
import type { Ending } from "./ending.ts";
import type { Turn } from "./turn.ts";
import { answerContext } from "./write-request.ts";

export interface SignsOfLifeOptions {
  readonly pingMs: number;
  readonly ending: Ending;
  readonly onEnd: () => void;
}

/**
 * The reply to a stream request, begun early when the answer takes long: from then on the client gets pings instead of
 * silence, and an error arrives as the protocol's error event instead of a status.
 */
export async function replyWithSignsOfLife(
  turn: Turn,
  work: Promise<Reply>,
  options: SignsOfLifeOptions,
): Promise<Reply> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), options.pingMs);
  });
  try {
    const reply = await Promise.race([work, silence]);
    if (reply !== undefined) return reply;
  } finally {
    clearTimeout(timer);
  }
  return { status: 200, headers: { ...sseHeaders }, body: pingUntil(turn, work, options), onEnd: options.onEnd };
}

async function* pingUntil(
  turn: Turn,
  work: Promise<Reply>,
  { pingMs, ending }: SignsOfLifeOptions,
): AsyncGenerator<Uint8Array | string> {
  const settled = work.then(
    (reply) => ({ reply }),
    (thrown: unknown) => ({ error: toMidfoldError(thrown) }),
  );
  for (;;) {
    yield turn.protocol.keepAlive;
    let timer: NodeJS.Timeout | undefined;
    const outcome = await Promise.race([
      settled,
      new Promise<undefined>((resolve) => {
        timer = setTimeout(() => resolve(undefined), pingMs);
      }),
    ]);
    clearTimeout(timer);
    if (outcome === undefined) continue;
    if ("reply" in outcome) {
      const { body } = outcome.reply;
      if (body === undefined || typeof body === "string" || body instanceof Uint8Array) {
        if (body !== undefined) yield body;
      } else yield* body;
      return;
    }
    ending.error = outcome.error;
    if (outcome.error.code !== "ABORTED") {
      yield turn.protocol.createStreamEncoder(answerContext(turn)).push({ type: "error", error: outcome.error });
    }
    return;
  }
}
