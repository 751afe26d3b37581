import { z } from "zod";
import { userPartSchema } from "./message.ts";

export const usageCategorySchema = z.enum([
  "system",
  "tools",
  "summary",
  "recalled",
  "recent",
  "draft",
  "reserved",
  "free",
]);

/** The meter: the size of the NEXT request that would be sent, never of the last response. */
export const usageSchema = z
  .object({
    model: z.string(),
    window: z.int().nullable().describe("Null when the model's window is not known: show counts, no percentage."),
    usable: z.int().nullable().describe("The window without the output reserve and the safety margin."),
    total: z.int().describe("Tokens of the next request, draft included."),
    percent: z.number().nullable().describe("`total` of `usable`, 0 to 100 and beyond."),
    level: z.enum(["ok", "warning", "critical", "unknown"]).describe("`warning` from 80 %, `critical` from 95 %."),
    categories: z.array(z.object({ category: usageCategorySchema, tokens: z.int(), messages: z.int().optional() })),
    threshold: z
      .object({
        percent: z.number().describe("The setting: percent of the window."),
        tokens: z.int().describe("Size of the next request at which the history is folded."),
        percentOfUsable: z.number().describe("Where to draw the mark on the meter."),
      })
      .nullable()
      .describe("Null when automatic folding is off or the window unknown."),
    turnsLeft: z.int().nullable().describe("Forecast from the size of the last turns; null when there are too few."),
    exact: z.boolean().describe("False: the counts are estimates; say so."),
    counter: z.string(),
    autoCompression: z.boolean(),
    breaker: z
      .object({ failures: z.int(), open: z.boolean(), retryAt: z.string().nullable() })
      .describe("Automatic folding pauses after failures: exponential backoff, open after three."),
  })
  .meta({ id: "Usage" });
export type Usage = z.infer<typeof usageSchema>;

export const usageRequestSchema = z
  .object({
    draft: z.string().default(""),
    parts: z.array(userPartSchema).default([]).describe("What goes along with the draft."),
    model: z.string().optional(),
  })
  .meta({ id: "UsageRequest" });

export const clippedDraftSchema = z
  .object({
    draft: z.string(),
    parts: z.array(userPartSchema),
    tokens: z.int().describe("What the message weighs now."),
    room: z.int().describe("What one message may weigh beside the system prompt and a summary of everything else."),
  })
  .meta({ id: "ClippedDraft" });
