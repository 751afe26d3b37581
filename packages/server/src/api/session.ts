import { z } from "zod";

export const sessionSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    model: z.string(),
    system: z.string().nullable().describe("The system prompt, sent first in every request."),
    createdAt: z.string(),
    updatedAt: z.string(),
    version: z.int().describe("Grows with every change; pass it back to PATCH to detect lost updates."),
    messageCount: z.int(),
    summaryId: z.string().nullable().describe("The active summary."),
    foldedMessages: z.int().describe("How many messages the active summary stands for."),
    branchedFrom: z.object({ sessionId: z.string(), messageId: z.string().nullable() }).nullable(),
    pinned: z.boolean().describe("Stays on top of the list."),
    archived: z.boolean().describe("Left out of the list unless asked for."),
    tags: z.array(z.string()),
    replying: z.boolean().describe("A reply is being streamed right now."),
  })
  .meta({ id: "Session" });
export type Session = z.infer<typeof sessionSchema>;

export const createSessionSchema = z
  .object({
    title: z.string().max(500).optional(),
    model: z.string().max(200).optional().describe("The default model when absent."),
    system: z.string().optional(),
  })
  .meta({ id: "CreateSession" });

export const updateSessionSchema = z
  .object({
    title: z.string().min(1).max(500).optional(),
    model: z.string().min(1).max(200).optional(),
    system: z.string().nullable().optional(),
    pinned: z.boolean().optional(),
    archived: z.boolean().optional(),
    tags: z.array(z.string().trim().min(1).max(40)).max(20).optional(),
    version: z.int().optional().describe("When given and not current, the answer is 409."),
  })
  .meta({ id: "UpdateSession" });

export const sessionListQuerySchema = z.object({
  cursor: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  search: z.string().optional().describe("Words of the title."),
  tag: z.string().optional(),
  pinned: z.stringbool().optional(),
  archived: z.stringbool().default(false).describe("The archived ones instead of the others."),
  branchesOf: z.string().optional().describe("A session's id: those that branched off from it."),
});

export const sessionListSchema = z
  .object({ sessions: z.array(sessionSchema), next: z.string().nullable() })
  .meta({ id: "SessionList" });

export const branchSchema = z
  .object({
    messageId: z.string().describe("The last message the branch contains."),
    title: z.string().max(500).optional(),
  })
  .meta({ id: "Branch" });
