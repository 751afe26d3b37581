import { MidfoldError } from "@midfold/core";
import { type LearnedLimit, learnedQuerySchema } from "../api/console-schemas.ts";
import { refuseUnknown } from "../api/refuse-unknown.ts";
import type { Identity } from "../guard/identity.ts";
import { replyJson } from "../http/reply-json.ts";
import type { Route } from "../routing/create-site.ts";
import type { Gateway } from "../turn/gateway.ts";

/** What was learned about upstreams, and a way to forget it: `GET` and `DELETE /api/learned`. */
export function learnedRoutes(gateway: Gateway, encodeError: Route["encodeError"]): Route[] {
  const common = { path: "/api/learned", auth: "key", counts: false, encodeError } as const;
  return [
    {
      ...common,
      methods: ["GET", "HEAD"],
      handle: async ({ query }, { identity }) => {
        refuseUnknown(undefined, Object.fromEntries(new URLSearchParams(query)), "query");
        await gateway.exchange.limits.load(identity.tenant);
        return replyJson(200, { limits: listLearned(gateway, identity) });
      },
    },
    {
      ...common,
      methods: ["DELETE"],
      handle: async (request, { identity }) => {
        const query = new URLSearchParams(request.query);
        // Left out, a misspelt name would forget everything.
        refuseUnknown(learnedQuerySchema, Object.fromEntries(query), "query");
        if ((await request.readBody(gateway.settings.maxBodyBytes)).byteLength > 0) {
          throw new MidfoldError("VALIDATION_ERROR", "body: say what to forget in the address: ?upstream=…&model=….");
        }
        const [upstream, model] = [query.get("upstream"), query.get("model")];
        const known = gateway.exchange.limits.list(identity.admin ? undefined : identity.tenant);
        const wanted = known.filter(
          (limit) => (upstream === null || limit.upstream === upstream) && (model === null || limit.model === model),
        );
        if (wanted.length === 0) {
          throw new MidfoldError("NOT_FOUND", "Nothing like that was learned, or it was forgotten already.");
        }
        for (const limit of wanted) gateway.exchange.limits.forget(limit);
        return replyJson(200, { forgotten: wanted.length, limits: listLearned(gateway, identity) });
      },
    },
  ];
}

/** An administrator sees what all callers' requests taught; others only what their own did. */
export function listLearned({ exchange }: Gateway, { admin, tenant }: Identity): LearnedLimit[] {
  return exchange.limits.list(admin ? undefined : tenant).map((limit) => ({
    upstream: limit.upstream,
    model: limit.model,
    contextWindow: limit.contextWindow ?? null,
    maxOutputTokens: limit.maxOutputTokens ?? null,
    evidence: limit.evidence,
    learnedAt: limit.learnedAt,
    expiresAt: limit.expiresAt,
  }));
}
