import type { Store } from "@midfold/store";
import { replyJson } from "../http/reply-json.ts";
import type { Metrics } from "../observe/create-metrics.ts";
import type { Route } from "../routing/create-site.ts";
import { problemReply } from "./problem-reply.ts";

export interface StatusOptions {
  readonly store: Store | undefined;
  readonly metrics: Metrics;
  readonly isOpen: () => boolean;
  readonly now: () => number;
  readonly openapi: () => unknown;
}

const readinessMs = 1_000;
/** Whoever asks whether we are ready does not wait longer. */
const patienceMs = 2_000;

function late(): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error("late")), patienceMs).unref();
  });
}

/** Health, readiness, metrics and the API's description. */
export function statusRoutes(options: StatusOptions): Route[] {
  const ready = createReadiness(options);
  const open = { auth: "none", counts: false, encodeError: problemReply } as const;
  return [
    // Alive means: the event loop turns. It must not depend on anything that can be down elsewhere.
    { ...open, methods: ["GET", "HEAD"], path: "/healthz", handle: () => replyJson(200, { status: "ok" }) },
    { ...open, methods: ["GET", "HEAD"], path: "/health", handle: () => replyJson(200, { status: "ok" }) },
    { ...open, methods: ["GET", "HEAD"], path: "/readyz", handle: ready },
    {
      methods: ["GET", "HEAD"],
      path: "/metrics",
      auth: "key",
      counts: false,
      encodeError: problemReply,
      handle: async () => ({
        status: 200,
        headers: { "content-type": options.metrics.contentType },
        body: await options.metrics.expose(),
      }),
    },
    { ...open, methods: ["GET", "HEAD"], path: "/openapi.json", handle: () => replyJson(200, options.openapi()) },
  ];
}

/** Ready means: taking requests, and the store answers. Asked at most once a second, however often the question comes. */
function createReadiness({ store, isOpen, now }: StatusOptions): () => Promise<ReturnType<typeof replyJson>> {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let storeState: Promise<"ok" | "unavailable" | "none"> = Promise.resolve("none");
  return async () => {
    if (store !== undefined && now() - checkedAt > readinessMs) {
      checkedAt = now();
      storeState = Promise.race([store.ping(), late()]).then(
        () => "ok" as const,
        () => "unavailable" as const,
      );
    }
    const state = await storeState;
    const ok = isOpen() && state !== "unavailable";
    return replyJson(ok ? 200 : 503, { status: ok ? "ready" : isOpen() ? "degraded" : "shutting down", store: state });
  };
}
