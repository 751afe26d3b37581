import { z } from "zod";
import { partSchema, roleSchema } from "./message.ts";

export const modelViewQuerySchema = z.object({
  turn: z.string().optional().describe("Id of a past reply: the request that led to it. Without it, the next request."),
});

/** Exactly what the model gets: the request message by message, and the body as it goes over the wire. */
export const modelViewSchema = z
  .object({
    turnId: z.string().nullable(),
    at: z.string(),
    model: z.string(),
    protocol: z.string(),
    tokens: z.int(),
    window: z.int().nullable(),
    exact: z.boolean(),
    summaryId: z.string().nullable(),
    leftOut: z.int().describe("Messages of the session that this request does not contain."),
    messages: z.array(
      z.object({
        kind: z.enum(["system", "summary", "recalled", "recent", "draft"]),
        role: roleSchema,
        parts: z.array(partSchema),
        text: z.string(),
        tokens: z.int(),
        messageId: z.string().nullable(),
        sequence: z.int().nullable(),
        summaryId: z.string().nullable(),
      }),
    ),
    body: z.unknown().describe("The request body as sent, without secrets."),
  })
  .meta({ id: "ModelView" });
export type ModelView = z.infer<typeof modelViewSchema>;

export const turnListSchema = z
  .object({
    turns: z
      .array(
        z.object({
          turnId: z.string().describe("Id of the reply."),
          at: z.string(),
          model: z.string(),
          inputTokens: z.int().describe("Size of the request as we counted it."),
          providerTokens: z.int().nullable().describe("Size as the provider reported it."),
          outputTokens: z.int().nullable(),
          window: z.int().nullable(),
          threshold: z.int().nullable(),
          summaryId: z.string().nullable(),
          messages: z.int(),
        }),
      )
      .describe("Oldest first: the slider and the saw-tooth."),
  })
  .meta({ id: "TurnList" });
