import { hash } from "node:crypto";
import { MidfoldError } from "@midfold/core";
import type { HttpReply } from "../http/http-message.ts";

export interface RepeatOptions {
  /** How long an answer can be repeated. */
  readonly keepMs: number;
  /** Bytes of answers kept at once. */
  readonly maxBytes: number;
  readonly now: () => number;
}

export interface RepeatedRequest {
  readonly key: string;
  readonly body: Uint8Array;
  readonly work: () => Promise<HttpReply>;
  /** Called when the answer has ended: whether it ended well. */
  readonly endedWell: () => boolean;
}

export interface Repeats {
  /**
   * Runs `work` for the first request with this key; all others with the same key and body, then or later, get the same
   * answer. Another body with the same key is refused. An answer that fails or is cut off is not kept.
   */
  once(request: RepeatedRequest): Promise<HttpReply>;
}

interface Kept {
  readonly bodyHash: string;
  /** There was an answer, but no room to keep it, so it cannot be repeated. */
  forgotten?: true;
  readonly reply: Promise<Recording>;
  until: number;
  bytes: number;
}

/** An answer that can be read from its start any number of times, even while it is being written. */
interface Recording {
  readonly reply: HttpReply;
  read(): AsyncGenerator<Uint8Array | string>;
}

/** Idempotency keys, in this process: one upstream call for all requests with the same key. */
export function createRepeats(options: RepeatOptions): Repeats {
  const kept = new Map<string, Kept>();
  let total = 0;
  const drop = (key: string, entry: Kept) => {
    if (kept.get(key) !== entry) return;
    kept.delete(key);
    total -= entry.bytes;
  };
  const sweep = () => {
    for (const [key, entry] of kept) {
      if (entry.until <= options.now() || kept.size > maxKeys) drop(key, entry);
      else if (total <= options.maxBytes) break;
      else if (entry.bytes > 0) {
        // The key is remembered without its answer: sent upstream again, it would be billed again.
        total -= entry.bytes;
        Object.assign(entry, { bytes: 0, forgotten: true, reply: lost });
      }
    }
  };
  return {
    once: async ({ key, body, work, endedWell }) => {
      sweep();
      const bodyHash = hash("sha256", body);
      const before = kept.get(key);
      if (before !== undefined) {
        if (before.bodyHash !== bodyHash) throw reused();
        if (before.forgotten === true) throw tooLargeToRepeat();
        const recording = await before.reply;
        return { ...withoutEnd(recording.reply), body: recording.read() };
      }
      const entry: Kept = { bodyHash, until: options.now() + options.keepMs, bytes: 0, reply: undefined as never };
      const grow = (bytes: number) => {
        if (entry.forgotten === true) return;
        entry.bytes += bytes;
        total += bytes;
      };
      const recorded = work().then((reply) => record(reply, { grow, endedWell, onFailure: () => drop(key, entry) }));
      const stored: Kept = Object.assign(entry, { reply: recorded });
      kept.set(key, stored);
      recorded.then(
        ({ reply }) => reply.status >= 400 && drop(key, entry),
        () => drop(key, entry),
      );
      const recording = await recorded;
      return { ...recording.reply, body: recording.read() };
    },
  };
}

function withoutEnd({ onEnd: _, ...reply }: HttpReply): HttpReply {
  return { ...reply, headers: { ...reply.headers, "x-midfold-repeated": "true" } };
}

/** Stands for answers that were not kept; nobody reads it. */
const lost: Promise<Recording> = Promise.reject(new Error("not kept"));
lost.catch(() => undefined);
const maxKeys = 100_000;

function tooLargeToRepeat(): MidfoldError {
  return new MidfoldError(
    "VERSION_CONFLICT",
    "This idempotency key was answered already, and the answer was too large to be kept. Use a new key to ask again.",
  );
}

function reused(): MidfoldError {
  return new MidfoldError("VERSION_CONFLICT", "This idempotency key was used with another request body.", {
    status: 409,
  });
}

interface RecordHooks {
  readonly grow: (bytes: number) => void;
  readonly endedWell: () => boolean;
  readonly onFailure: () => void;
}

function record(reply: HttpReply, hooks: RecordHooks): Recording {
  const pieces: (Uint8Array | string)[] = [];
  const source = iterate(reply.body);
  let state: "open" | "done" | "failed" = "open";
  let reading: Promise<void> | undefined;
  // The reader who is furthest asks the source for more; the others read what it has already given.
  const pull = (): Promise<void> => {
    reading ??= source
      .next()
      .then(
        ({ done, value }) => {
          if (done === true) {
            state = hooks.endedWell() ? "done" : "failed";
            if (state === "failed") hooks.onFailure();
          } else {
            pieces.push(value);
            hooks.grow(value.length);
          }
        },
        () => {
          state = "failed";
          hooks.onFailure();
        },
      )
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  return {
    reply,
    async *read() {
      for (let at = 0; ; at++) {
        while (at >= pieces.length && state === "open") await pull();
        const piece = pieces[at];
        if (piece !== undefined) yield piece;
        else if (state === "failed") throw new MidfoldError("UPSTREAM_BROKEN", "The answer broke off.");
        else return;
      }
    },
  };
}

async function* iterate(body: HttpReply["body"]): AsyncGenerator<Uint8Array | string> {
  if (body === undefined) return;
  if (typeof body === "string" || body instanceof Uint8Array) yield body;
  else yield* body;
}
