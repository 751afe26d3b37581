import { z } from "zod";

/** The documented format of a summary: what is stored as `content_json` of a summary snapshot. */
export const summaryContentSchema = z
  .object({
    summaryText: z.string(),
    messageRange: z.object({ firstMessageId: z.string(), lastMessageId: z.string() }),
    compressionTimestamp: z.string(),
    compressionType: z.enum(["auto", "manual"]),
    originalTokenCount: z.int(),
    summaryTokenCount: z.int(),
    messagesIncluded: z.int(),
  })
  .meta({ id: "SummaryContent" });

export const lossReportSchema = z
  .object({
    checked: z.int().describe("Facts found in the folded messages by an extractor that did not write the summary."),
    kept: z.int(),
    repaired: z.int().describe("Facts that were missing and were added to the ledger under the summary."),
    lost: z.array(z.object({ kind: z.string(), value: z.string(), messageId: z.string().nullable() })),
  })
  .meta({ id: "LossReport" });
export type LossReport = z.infer<typeof lossReportSchema>;

/** `active` is in force; a newer one `replaced` it; a person has `undone` it; `void`: a message it covers was changed. */
export const summaryStatusSchema = z.enum(["active", "replaced", "undone", "void"]);

export const summarySchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    status: summaryStatusSchema,
    version: z.int().describe("1, 2, … among the versions of the same fold."),
    foldId: z
      .string()
      .describe("The fold it came from, as under `/folds/{foldId}`; versions (regenerated, edited) share it."),
    text: z.string(),
    preview: z.string().describe("The first 200 characters."),
    type: z.enum(["auto", "manual"]),
    origin: z.enum(["model", "extractive", "edited", "imported"]),
    model: z.string().nullable(),
    createdAt: z.string(),
    cutoffMessageId: z.string(),
    cutoffSequence: z.int(),
    firstMessageId: z.string(),
    messagesIncluded: z.int(),
    originalTokens: z.int(),
    summaryTokens: z.int(),
    previousSummaryId: z.string().nullable().describe("The summary this one carried on."),
  })
  .meta({ id: "Summary" });
export type Summary = z.infer<typeof summarySchema>;

export const summaryDetailSchema = summarySchema
  .extend({
    content: summaryContentSchema,
    instructions: z.string().nullable(),
    durationMs: z.int().nullable(),
    costUsd: z.number().nullable(),
    modelUsage: z.object({ inputTokens: z.int(), outputTokens: z.int() }).nullable(),
    loss: lossReportSchema.nullable(),
    sources: z
      .array(
        z.object({
          start: z.int().describe("Character range of the sentence within `text`."),
          end: z.int(),
          messageIds: z.array(z.string()).describe("Most likely source messages, best first."),
        }),
      )
      .describe("Which messages each sentence came from, where that is known."),
    invented: z
      .array(z.object({ start: z.int(), end: z.int() }))
      .describe("Sentences that say something the messages do not."),
    sentAs: z.string().describe("The exact text the model sees for this summary, frame included."),
  })
  .meta({ id: "SummaryDetail" });
export type SummaryDetail = z.infer<typeof summaryDetailSchema>;

export const summaryListSchema = z
  .object({ activeId: z.string().nullable(), summaries: z.array(summarySchema).describe("Newest first.") })
  .meta({ id: "SummaryList" });

export const editSummarySchema = z.object({ text: z.string().min(1).max(200_000) }).meta({ id: "EditSummary" });
