import { getHeapStatistics } from "node:v8";
import { MidfoldError } from "@midfold/core";

export interface LoadLimitOptions {
  readonly maxInFlight: number;
  /** Bytes of request bodies held at once, over all requests. */
  readonly maxBodyBytes: number;
  readonly now: () => number;
}

/** Memory reserved for one body. */
export interface Hold {
  /** Reserves more when the body is larger than announced; throws OVERLOADED when there is none. */
  upTo(bytes: number): void;
  release(): void;
}

export interface LoadLimiter {
  /** Takes a place, or throws OVERLOADED. The returned function releases it. */
  enter(): () => void;
  /** Takes a place for this key, or throws RATE_LIMITED: no key may hold more than half of all places. */
  enterAs(key: string): () => void;
  /** Reserves memory for a body of this size, or throws OVERLOADED. */
  holdBytes(bytes: number): Hold;
  readonly inFlight: number;
}

const refuseBodiesAt = 0.85;
const refuseAllAt = 0.95;
const sampleEveryMs = 250;

/** Refuses work early and cheaply when the process has as much as it can handle. */
export function createLoadLimiter(options: LoadLimitOptions): LoadLimiter {
  let inFlight = 0;
  let bodyBytes = 0;
  const places = new Map<string, number>();
  let heapShare = 0;
  let sampledAt = Number.NEGATIVE_INFINITY;
  const heap = () => {
    const now = options.now();
    if (now - sampledAt > sampleEveryMs) {
      const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
      heapShare = used / limit;
      sampledAt = now;
    }
    return heapShare;
  };
  return {
    enter: () => {
      if (inFlight >= options.maxInFlight || heap() > refuseAllAt) throw overloaded("take");
      inFlight += 1;
      return once(() => {
        inFlight -= 1;
      });
    },
    enterAs: (key) => {
      const held = places.get(key) ?? 0;
      if (held >= Math.max(1, Math.ceil(options.maxInFlight / 2))) {
        throw new MidfoldError("RATE_LIMITED", `The key has ${held} requests in flight, as many as one key may have.`, {
          details: { retryAfterSeconds: 1 },
        });
      }
      places.set(key, held + 1);
      return once(() => {
        const left = (places.get(key) ?? 1) - 1;
        if (left > 0) places.set(key, left);
        else places.delete(key);
      });
    },
    holdBytes: (bytes) => {
      let held = 0;
      let open = true;
      const upTo = (size: number) => {
        const more = size - held;
        if (more <= 0 || !open) return;
        // A single body always has room; its size has a limit of its own.
        if (bodyBytes + more > options.maxBodyBytes && bodyBytes - held > 0) throw overloaded("hold");
        if (size > 64 * 1024 && heap() > refuseBodiesAt) throw overloaded("hold");
        bodyBytes += more;
        held = size;
      };
      upTo(bytes);
      return {
        upTo,
        release: () => {
          if (open) bodyBytes -= held;
          open = false;
        },
      };
    },
    get inFlight() {
      return inFlight;
    },
  };
}

function once(action: () => void): () => void {
  let done = false;
  return () => {
    if (!done) action();
    done = true;
  };
}

/** Too many requests to take, or too many bytes of their bodies to hold. */
function overloaded(what: "take" | "hold"): MidfoldError {
  const much = what === "take" ? "as many requests as it can take" : "as many bytes of requests as it can hold";
  return new MidfoldError("OVERLOADED", `The server is busy with ${much}.`, { details: { retryAfterSeconds: 1 } });
}
