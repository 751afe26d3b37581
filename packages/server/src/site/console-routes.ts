import { MidfoldError, type TokenCounter } from "@midfold/core";
import { Hono } from "hono";
import { consoleOperations } from "../api/console-operations.ts";
import {
  changeByHandSchema,
  type FeedEvent,
  type Overview,
  requestListQuerySchema,
  savingsQuerySchema,
} from "../api/console-schemas.ts";
import type { Operation } from "../api/operation.ts";
import { refuseUnknown } from "../api/refuse-unknown.ts";
import { eventResponse } from "../chat/http/write-events.ts";
import { problemResponse, toProblem, toValidationProblem } from "../chat/http/write-problem.ts";
import { breakDown } from "../console/break-down.ts";
import { type ByHand, noEdits } from "../console/by-hand.ts";
import { changeByHand, conversationDetail, groupConversations, toApiByHand } from "../console/group-conversations.ts";
import { listRequests } from "../console/list-requests.ts";
import { type LearnedRatio, measureDrift } from "../console/measure-drift.ts";
import { sumSavings } from "../console/sum-savings.ts";
import { toDetail, toSummary } from "../console/to-summary.ts";
import { watchRequests } from "../console/watch-requests.ts";
import type { Identity } from "../guard/identity.ts";
import type { RequestLog } from "../requests/request-log.ts";
import type { RequestRecord } from "../requests/request-record.ts";
import type { RecalledContent } from "../requests/stored-facts.ts";

export interface ConsoleBindings {
  readonly identity: Identity;
}

export interface ConsoleOptions {
  readonly requests: RequestLog;
  readonly overview: (identity: Identity) => Overview;
  readonly learnedRatios: (identity: Identity) => readonly LearnedRatio[];
  readonly counterOf: (record: RequestRecord) => TokenCounter;
  readonly byHand: ByHand;
  /** Content of an earlier run, or of requests no longer in memory; undefined without a store. */
  readonly readContent: (record: RequestRecord) => Promise<RecalledContent | undefined>;
}

/** What the gateway did, for the console. Callers see their own requests; an administrator sees all. */
export function consoleApp(options: ConsoleOptions): Hono<{ Bindings: ConsoleBindings }> {
  const app = new Hono<{ Bindings: ConsoleBindings }>();
  const visible = (identity: Identity) => (record: RequestRecord) =>
    identity.admin || record.tenant === identity.tenant;
  const records = (identity: Identity) => [...options.requests.records()].filter(visible(identity));
  const one = (identity: Identity, id: string): RequestRecord => {
    const record = options.requests.get(id);
    if (record === undefined || !visible(identity)(record)) {
      throw new MidfoldError("NOT_FOUND", "No such request, or it is no longer remembered.");
    }
    return record;
  };

  for (const { method, path, query } of Object.values<Operation>(consoleOperations)) {
    app.on(method.toUpperCase(), `/api${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, (c, next) => {
      refuseUnknown(query, c.req.query(), "query");
      return next();
    });
  }
  app.get("/api/console/overview", (c) => c.json(options.overview(c.env.identity)));
  app.get("/api/console/requests", (c) => {
    const query = requestListQuerySchema.safeParse(c.req.query());
    if (!query.success) return problemResponse(toValidationProblem(query.error, "query"));
    return c.json(listRequests(records(c.env.identity), query.data));
  });
  const withWords = async (record: RequestRecord): Promise<RequestRecord> => {
    if (record.content !== undefined || !record.contentStored) return record;
    const content = await options.readContent(record);
    // The entry may have been pruned meanwhile.
    return content === undefined ? { ...record, contentStored: false } : { ...record, content, frames: content.frames };
  };
  app.get("/api/console/requests/:id", async (c) =>
    c.json(toDetail(await withWords(one(c.env.identity, c.req.param("id"))))),
  );
  app.get("/api/console/requests/:id/content", async (c) => {
    const { content } = await withWords(one(c.env.identity, c.req.param("id")));
    if (content === undefined) {
      throw new MidfoldError("NOT_FOUND", "No content was kept. Set server.capture to keep what is sent.");
    }
    return c.json({ before: content.before, after: content.after, answer: content.answer ?? null });
  });
  app.get("/api/console/requests/:id/breakdown", async (c) => {
    const record = await withWords(one(c.env.identity, c.req.param("id")));
    return c.json(breakDown(record, options.counterOf(record)));
  });
  app.get("/api/console/feed", (c) => {
    const { identity } = c.env;
    const running = [...options.requests.running()].filter(visible(identity)).map(toSummary);
    const ready: FeedEvent = { type: "ready", running };
    return eventResponse(watchRequests(options.requests, visible(identity), ready, c.req.raw.signal));
  });
  app.get("/api/console/conversations", (c) => c.json({ items: groupConversations(records(c.env.identity)) }));
  const conversation = async (identity: Identity, id: string) => {
    const group = records(identity).filter((record) => record.conversationId === id);
    const tenant = group[0]?.tenant;
    if (tenant === undefined) {
      throw new MidfoldError("NOT_FOUND", "No such conversation, or it is no longer remembered.");
    }
    await options.byHand.load(tenant);
    // Two callers may have started with the same words; these are two conversations.
    const own = group.filter((record) => record.tenant === tenant);
    return { group: own, tenant, edits: options.byHand.of(tenant, id) ?? noEdits };
  };
  app.get("/api/console/conversations/:id", async (c) => {
    const id = c.req.param("id");
    const { group, edits } = await conversation(c.env.identity, id);
    return c.json(conversationDetail(group, id, edits));
  });
  app.patch("/api/console/conversations/:id", async (c) => {
    const id = c.req.param("id");
    const sent: unknown = await c.req.json().catch(() => undefined);
    refuseUnknown(changeByHandSchema, sent, "body");
    const wish = changeByHandSchema.safeParse(sent);
    if (!wish.success) return problemResponse(toValidationProblem(wish.error, "body"));
    const { group, tenant, edits } = await conversation(c.env.identity, id);
    const changed = await changeByHand(edits, wish.data, group, withWords);
    await options.byHand.change(tenant, id, changed);
    return c.json(toApiByHand(changed));
  });
  app.get("/api/console/savings", (c) => {
    const query = savingsQuerySchema.safeParse(c.req.query());
    if (!query.success) return problemResponse(toValidationProblem(query.error, "query"));
    return c.json(sumSavings(records(c.env.identity), query.data.since ?? 0));
  });
  app.get("/api/console/drift", (c) =>
    c.json(measureDrift(records(c.env.identity), options.learnedRatios(c.env.identity))),
  );
  app.notFound(() => problemResponse(toProblem(new MidfoldError("NOT_FOUND", "There is nothing at this path."))));
  app.onError((error) => problemResponse(toProblem(error)));
  return app;
}
