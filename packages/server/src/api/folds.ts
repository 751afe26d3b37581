import { z } from "zod";
import { problemSchema } from "./problem.ts";

export const summaryStyleSchema = z.enum(["concise", "balanced", "detailed"]);

/** What a person may choose before a fold; the same body previews and runs it. */
export const chatFoldRequestSchema = z
  .object({
    retentionTokens: z
      .int()
      .nonnegative()
      .optional()
      .describe("Newest tokens to keep as they are; 0 (the default by hand) folds everything."),
    throughMessageId: z
      .string()
      .optional()
      .describe("The fold line: the last message to fold. Wins over `retentionTokens`; moves to a legal cut."),
    instructions: z.string().max(10_000).optional().describe("What the summary should focus on."),
    model: z.string().optional().describe("Summarization model; the setting when absent."),
    style: summaryStyleSchema.optional(),
    maxSummaryTokens: z.int().min(64).max(32_000).optional(),
  })
  .meta({ id: "ChatFoldRequest" });
export type ChatFoldRequest = z.infer<typeof chatFoldRequestSchema>;

export const summarizerChoiceSchema = z.object({
  name: z.string(),
  model: z.string().nullable().describe("Null: the built-in extractive summarizer, which needs no key."),
  why: z.string(),
});

/** Counts and estimates before any model call. No side effect. */
export const chatFoldPreviewSchema = z
  .object({
    totalMessages: z.int().describe("Everything said in the session."),
    activeMessages: z.int().describe("Messages not yet folded."),
    messagesToSummarize: z.int(),
    messagesToKeep: z.int(),
    includesPreviousSummary: z.boolean(),
    tokens: z.object({
      before: z.int().describe("Next request as it stands, without draft."),
      folded: z.int().describe("Tokens of what is folded, previous summary included."),
      kept: z.int(),
      summaryEstimate: z.int(),
      after: z.int().describe("Estimated next request."),
      afterLow: z.int(),
      afterHigh: z.int(),
    }),
    reductionPercent: z.number(),
    costUsd: z.number().nullable().describe("Estimated price of the summarization; 0 without a model."),
    breakEvenTurns: z.int().nullable().describe("Turns until the tokens saved have paid for the summary."),
    summarizer: summarizerChoiceSchema,
    foldLine: z.object({ messageId: z.string(), sequence: z.int() }).nullable(),
    cuts: z
      .array(
        z.object({
          messageId: z.string().describe("Last folded message at this cut."),
          sequence: z.int(),
          messages: z.int().describe("Messages folded at this cut."),
          foldedTokens: z.int(),
          keptTokens: z.int(),
        }),
      )
      .describe("Every legal place for the fold line, oldest first (never between a tool call and its result)."),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    possible: z.boolean().describe("False: there is nothing to summarize; the warnings say why."),
  })
  .meta({ id: "ChatFoldPreview" });
export type ChatFoldPreview = z.infer<typeof chatFoldPreviewSchema>;

export const chatFoldProgressSchema = z.object({
  phase: z.enum(["waiting", "counting", "summarizing", "checking", "saving"]),
  share: z.number().min(0).max(1),
  attempt: z.int().describe("1, or more when a result was still too big and the fold is repeated harder."),
  text: z.string().optional().describe("The last words written, while a model streams."),
});
export type ChatFoldProgress = z.infer<typeof chatFoldProgressSchema>;

export const chatFoldResultSchema = z
  .object({
    summaryId: z.string(),
    preview: z.string().describe("First 200 characters of the summary."),
    messagesSummarized: z.int(),
    tokensBefore: z.int(),
    tokensAfter: z.int().describe("New size of the next request."),
    reductionTokens: z.int(),
    reductionPercent: z.number(),
    durationMs: z.int(),
    costUsd: z.number().nullable(),
    fellBack: z.boolean().describe("The model failed and the built-in summarizer wrote it."),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  })
  .meta({ id: "ChatFoldResult" });
export type ChatFoldResult = z.infer<typeof chatFoldResultSchema>;

export type SkipReason = z.infer<typeof skipReasonSchema>;
export const skipReasonSchema = z.enum([
  "disabled",
  "below-threshold",
  "below-minimum",
  "nothing-to-fold",
  "backoff",
  "breaker-open",
  "running-elsewhere",
  "superseded",
]);

export const chatFoldSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    type: z.enum(["auto", "manual"]),
    action: z.enum(["fold", "regenerate"]),
    status: z.enum(["queued", "running", "done", "failed", "cancelled", "skipped"]),
    progress: chatFoldProgressSchema.nullable(),
    startedAt: z.string(),
    finishedAt: z.string().nullable(),
    result: chatFoldResultSchema
      .nullable()
      .describe("Null until it is done, and where only its summary is kept: imported, or not among the newest 20."),
    error: problemSchema.nullable(),
    skipReason: skipReasonSchema.nullable(),
  })
  .meta({ id: "ChatFold" });
export type ChatFold = z.infer<typeof chatFoldSchema>;

export const chatFoldListSchema = z
  .object({ folds: z.array(chatFoldSchema).describe("The newest 20, newest first, running ones included.") })
  .meta({ id: "ChatFoldList" });

export const regenerateSchema = chatFoldRequestSchema
  .pick({ instructions: true, model: true, style: true, maxSummaryTokens: true })
  .meta({ id: "Regenerate" });
