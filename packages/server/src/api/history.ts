import { z } from "zod";
import { roleSchema } from "./message.ts";

/** Whether the model sees the words of a hit: in the request, in the summary, or not. */
export const hitPlaceSchema = z.enum(["in-context", "in-summary", "folded", "hidden"]);

export const searchQuerySchema = z.object({
  q: z.string().min(1).max(500),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().optional(),
});

export const searchHitSchema = z
  .object({
    sessionId: z.string(),
    sessionTitle: z.string(),
    messageId: z.string(),
    sequence: z.int(),
    role: roleSchema,
    createdAt: z.string(),
    excerpt: z.string(),
    highlights: z.array(z.tuple([z.int(), z.int()])).describe("Character ranges of the matches within `excerpt`."),
    place: hitPlaceSchema,
    summaryId: z.string().nullable(),
    tokens: z.int().nullable(),
  })
  .meta({ id: "SearchHit" });
export type SearchHit = z.infer<typeof searchHitSchema>;

export const searchResultSchema = z
  .object({
    query: z.string(),
    total: z.int(),
    totalIsExact: z.boolean().describe("False: there are more than `total` matches."),
    hits: z.array(searchHitSchema).describe("Newest first."),
    next: z.string().nullable(),
  })
  .meta({ id: "SearchResult" });
export type SearchResult = z.infer<typeof searchResultSchema>;
