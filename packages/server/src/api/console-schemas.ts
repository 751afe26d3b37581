import { z } from "zod";

/** What the console shows of the gateway's requests. Sizes are tokens, times are milliseconds since 1970, spans are ms. */

const count = z.number().int().nonnegative();
const milliseconds = z.number().nonnegative();

export const foldOutcomeSchema = z.enum([
  /** Folding was switched off, for the server, the route or this request. */
  "off",
  "fits",
  "below-minimum",
  /** It fits; tool results that were very large on their own were clipped as they appeared. */
  "clipped",
  /** An earlier fold of the same conversation was applied as it stood. */
  "reused",
  "folded",
  /** It could not be made to fit; the client got the overflow error. */
  "impossible",
]);

const requestStateSchema = z.enum(["running", "done", "failed", "cancelled"]);

export const reasonSchema = z.object({ rung: z.string(), rule: z.string(), atoms: count, freed: z.number() });

export const requestSummarySchema = z
  .object({
    id: z.string(),
    at: z.number(),
    /** `running` until the last byte was handed over. */
    state: requestStateSchema,
    status: z.number().int(),
    errorCode: z.string().nullable(),
    client: z.string(),
    keyName: z.string().nullable(),
    protocol: z.string(),
    path: z.string(),
    upstream: z.string().nullable(),
    requestedModel: z.string(),
    model: z.string(),
    stream: z.boolean(),
    conversationId: z.string().nullable(),
    fold: z.object({
      outcome: foldOutcomeSchema,
      id: z.string().nullable(),
      rungs: z.array(z.string()),
      by: z.enum(["none", "digest", "summary"]),
      tokensBefore: count,
      tokensAfter: count,
      budget: count,
      window: count,
      messagesBefore: count,
      messagesAfter: count,
      /** False where the sizes are estimates or upper bounds. */
      exact: z.boolean(),
      breakEvenCalls: count
        .nullable()
        .describe("Folded just now: after so many further calls it has paid for itself; null where that is not known"),
      cacheIsCold: z
        .boolean()
        .nullable()
        .describe("The provider had dropped the conversation from its cache; null where that is not known"),
    }),
    usage: z
      .object({ input: count, output: count, cached: count, cacheWrite: count })
      .nullable()
      .describe("What the provider billed; null when it said nothing"),
    costMicros: z.number().nullable().describe("Millionths of a dollar"),
    savedMicros: z.number().nullable(),
    timing: z.object({
      total: milliseconds,
      fold: milliseconds,
      /** From sending upstream to the first byte of the answer. */
      upstreamFirstByte: milliseconds.nullable(),
      /** What Midfold itself added before the first byte. */
      overhead: milliseconds,
    }),
    overflowRetried: z.boolean(),
    compactionRequest: z.boolean().describe("The client asked for a summary of its own conversation"),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: "RequestSummary" });

export const decisionSchema = z.object({
  kind: z.string(),
  first: count,
  last: count,
  tokens: count,
  pinned: z.boolean(),
  do: z.enum(["keep", "clip", "drop", "fold"]),
  toTokens: count.nullable(),
  span: count.nullable(),
});

export const spanSchema = z.object({
  atoms: z.array(count),
  messages: count,
  tokens: count,
  maxTokens: count,
  by: z.enum(["digest", "summary"]),
});

export const requestDetailSchema = requestSummarySchema
  .extend({
    errorMessage: z.string().nullable(),
    /** Where the window came from: the route, the registry, the upstream's model list, an overflow error. */
    windowSource: z.string().nullable(),
    reasons: z.array(reasonSchema),
    decisions: z.array(decisionSchema).nullable().describe("One per atom; null when nothing was planned"),
    spans: z.array(spanSchema),
    frames: z.array(z.string()).nullable().describe("The digests or summaries sent; only while content is captured"),
    upstreamAttempts: count,
    hasContent: z.boolean(),
  })
  .meta({ id: "RequestDetail" });

export const requestListQuerySchema = z.object({
  model: z.string().optional(),
  client: z.string().optional(),
  conversation: z.string().optional(),
  session: z.string().optional().describe("The client's own name for its session, where it sends one"),
  folded: z.stringbool().optional(),
  failed: z.stringbool().optional(),
  since: z.coerce.number().optional(),
  until: z.coerce.number().optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  after: z.string().optional().describe("The `next` of the page before"),
});

export const requestListSchema = z
  .object({ items: z.array(requestSummarySchema), next: z.string().nullable() })
  .meta({ id: "RequestList" });

/** Content before and after the fold, as it was on the wire. Only with `capture` switched on. */
export const requestContentSchema = z
  .object({
    before: z.unknown(),
    after: z.unknown(),
    answer: z.string().nullable().describe("The words and tool calls that came back; cut where they are very long"),
  })
  .meta({ id: "RequestContent" });

/** What a request was made of, in the order it was sent. */
export const breakdownSchema = z
  .object({
    captured: z.boolean().describe("False: the words were not kept, so their sizes are not known one by one"),
    parts: z.array(
      z.object({
        kind: z.enum(["system", "tool", "message"]),
        name: z.string().describe("A tool's name, or a message's role"),
        tokens: count,
        server: z.string().optional().describe("The MCP server whose tool it is"),
        index: count.optional().describe("Place among the messages as they came"),
        mayLeaveOut: z.boolean().optional(),
      }),
    ),
  })
  .meta({ id: "Breakdown" });

/** What a person decided about a conversation, and what it takes to change it. */
export const byHandSchema = z
  .object({
    fold: z.boolean().describe("Sent folded although it fits"),
    pinned: z.array(count).describe("Places of messages that are always sent word for word"),
    leftOut: z.array(count).describe("Places of messages that are not sent"),
  })
  .meta({ id: "ByHand" });

export const changeByHandSchema = z
  .object({
    fold: z.boolean().optional(),
    message: count.optional().describe("The place of one message; its content must have been captured"),
    pinned: z.boolean().optional(),
    leftOut: z.boolean().optional(),
  })
  .refine(({ message, pinned, leftOut }) => message !== undefined || (pinned === undefined && leftOut === undefined), {
    message: "Say which message is to be pinned or left out.",
    path: ["message"],
  })
  .refine(({ message, pinned, leftOut }) => message === undefined || pinned !== undefined || leftOut !== undefined, {
    message: "Say whether the message is to be pinned or left out.",
    path: ["message"],
  })
  .refine(({ pinned, leftOut }) => pinned !== true || leftOut !== true, {
    message: "A message is pinned or left out, not both.",
    path: ["leftOut"],
  });

/** Events of the live feed. Every event carries the whole summary; `ready` comes first and says what is running. */
export const feedEventSchema = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("ready"), running: z.array(requestSummarySchema) }),
    z.object({ type: z.literal("request-start"), request: requestSummarySchema }),
    z.object({ type: z.literal("request-end"), request: requestSummarySchema }),
  ])
  .meta({ id: "FeedEvent" });

export const conversationSchema = z
  .object({
    /** Hash of the conversation's first messages: the same for every request that continues it. */
    id: z.string(),
    title: z.string().nullable().describe("The first words of the user; null unless content is captured"),
    client: z.string(),
    model: z.string(),
    firstAt: z.number(),
    lastAt: z.number(),
    requests: count,
    folds: count,
    tokensBefore: count.describe("Size of the newest request as it came in"),
    tokensAfter: count.describe("and as it went out"),
    window: count,
  })
  .meta({ id: "Conversation" });

export const conversationListSchema = z.object({ items: z.array(conversationSchema) }).meta({ id: "ConversationList" });

/** One request of a conversation: together they draw the saw-tooth. */
export const conversationPointSchema = z
  .object({
    requestId: z.string(),
    at: z.number(),
    messages: count,
    tokensBefore: count,
    tokensAfter: count,
    budget: count,
    window: count,
    outcome: foldOutcomeSchema,
    state: requestStateSchema,
    foldId: z.string().nullable(),
    cached: count.nullable(),
  })
  .meta({ id: "ConversationPoint" });

export const conversationDetailSchema = conversationSchema
  .extend({
    series: z.array(conversationPointSchema),
    byHand: byHandSchema,
    capturedRequestId: z.string().nullable().describe("The newest request whose words are kept"),
  })
  .meta({ id: "ConversationDetail" });

export const savingsRowSchema = z
  .object({
    requests: count,
    folded: count,
    failed: count,
    tokensBefore: count,
    tokensAfter: count,
    input: count,
    output: count,
    cached: count,
    cacheWrite: count,
    priced: count.describe("Requests whose model has known prices and whose usage the provider told"),
    costMicros: z.number(),
    savedMicros: z.number().describe("Tokens taken out, at the full input price"),
    savedCachedMicros: z.number().describe("The same at the cached price: what they would have cost from a warm cache"),
    rewriteMicros: z
      .number()
      .describe("What sending a newly folded prefix cost above reading the old one from the cache"),
    summaries: count.describe("Calls to a model to write summaries"),
    summaryMicros: z.number().nullable().describe("What they cost; null when one of them has no known price"),
  })
  .meta({ id: "SavingsRow" });

export const savingsQuerySchema = z.object({ since: z.coerce.number().optional() });

export const savingsSchema = z
  .object({
    since: z.number(),
    total: savingsRowSchema,
    byModel: z.array(savingsRowSchema.extend({ model: z.string() })),
    byHour: z.array(savingsRowSchema.extend({ at: z.number() })),
  })
  .meta({ id: "Savings" });

/** How far our counts were from what providers billed. */
export const driftSchema = z
  .object({
    models: z.array(
      z.object({
        model: z.string(),
        counter: z.string(),
        samples: count,
        /** Billed tokens for each counted one, as learned. */
        ratio: z.number(),
        /** Mean of |counted − billed| / billed over the recent requests. */
        meanError: z.number(),
        points: z.array(z.object({ at: z.number(), counted: count, billed: count })),
      }),
    ),
  })
  .meta({ id: "Drift" });

export const learnedLimitSchema = z.object({
  upstream: z.string(),
  model: z.string(),
  contextWindow: count.nullable(),
  maxOutputTokens: count.nullable(),
  evidence: z.string(),
  learnedAt: z.number(),
  /** Forgotten after this time, so that it is tested again. */
  expiresAt: z.number(),
});

export const learnedQuerySchema = z.object({ upstream: z.string().optional(), model: z.string().optional() });

export const learnedListSchema = z.object({
  limits: z.array(learnedLimitSchema),
  /** How many were forgotten just now. */
  forgotten: count.optional(),
});

export const overviewSchema = z
  .object({
    version: z.string(),
    startedAt: z.number(),
    now: z.number(),
    inFlight: count,
    requests: count,
    folded: count,
    failed: count,
    folding: z.boolean(),
    capture: z.boolean(),
    store: z.string().nullable(),
    routes: z.array(
      z.object({
        model: z.string(),
        upstream: z.string(),
        protocol: z.string(),
        preset: z.string(),
        window: count.nullable(),
      }),
    ),
    learned: z.array(learnedLimitSchema),
  })
  .meta({ id: "Overview" });

export type FoldOutcome = z.infer<typeof foldOutcomeSchema>;
export type LearnedLimit = z.infer<typeof learnedLimitSchema>;
export type RequestSummary = z.infer<typeof requestSummarySchema>;
export type RequestDetail = z.infer<typeof requestDetailSchema>;
export type RequestListQuery = z.infer<typeof requestListQuerySchema>;
export type RequestList = z.infer<typeof requestListSchema>;
export type FeedEvent = z.infer<typeof feedEventSchema>;
export type Conversation = z.infer<typeof conversationSchema>;
export type ConversationDetail = z.infer<typeof conversationDetailSchema>;
export type ConversationPoint = z.infer<typeof conversationPointSchema>;
export type Savings = z.infer<typeof savingsSchema>;
export type SavingsRow = z.infer<typeof savingsRowSchema>;
export type Breakdown = z.infer<typeof breakdownSchema>;
export type BreakdownPart = Breakdown["parts"][number];
export type ChangeByHand = z.infer<typeof changeByHandSchema>;
export type Drift = z.infer<typeof driftSchema>;
export type Overview = z.infer<typeof overviewSchema>;
