import { z } from "zod";
import { messageSchema, userPartSchema } from "./message.ts";
import { sessionSchema } from "./session.ts";
import { usageSchema } from "./usage.ts";

/** What the user says: words, or parts with images and files, or both. */
export const sendMessageSchema = z
  .object({
    text: z.string().optional(),
    parts: z.array(userPartSchema).optional(),
    model: z.string().optional().describe("For this turn only; the session's model when absent."),
    maxOutputTokens: z.int().positive().optional(),
    stream: z.boolean().default(true).describe("False: one JSON answer when the reply is complete."),
    key: z
      .string()
      .max(200)
      .optional()
      .describe("Makes resending safe: a second message with the same key in a session is not stored twice."),
    fold: z.enum(["auto", "off"]).default("auto"),
  })
  .meta({ id: "SendMessage" });
export type SendMessage = z.infer<typeof sendMessageSchema>;

export const retrySchema = z
  .object({ model: z.string().optional(), stream: z.boolean().default(true) })
  .meta({ id: "Retry" });

/** Leaves the session as it is; the new words and their reply go into a branch. */
export const editMessageSchema = sendMessageSchema
  .omit({ key: true })
  .extend({ title: z.string().max(500).optional() })
  .meta({ id: "EditMessage" });

/** The answer when `stream` is false. */
export const turnSchema = z
  .object({
    turnId: z.string(),
    session: sessionSchema,
    userMessage: messageSchema,
    reply: messageSchema,
    usage: usageSchema,
  })
  .meta({ id: "Turn" });
export type Turn = z.infer<typeof turnSchema>;

export const stopSchema = z.object({ stopped: z.int().describe("How many running replies were stopped.") });
