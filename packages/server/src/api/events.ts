import { z } from "zod";
import { chatFoldProgressSchema, chatFoldResultSchema, skipReasonSchema } from "./folds.ts";
import { messageSchema } from "./message.ts";
import { problemSchema } from "./problem.ts";
import { sessionSchema } from "./session.ts";
import { usageSchema } from "./usage.ts";

const fold = { sessionId: z.string(), foldId: z.string(), trigger: z.enum(["auto", "manual"]) };

export const chatFoldEventSchema = z
  .discriminatedUnion("type", [
    z.object({
      type: z.literal("fold.start"),
      ...fold,
      messages: z.int(),
      tokens: z.int(),
      foldLine: z.string().describe("Id of the last message being folded: where to draw the marker."),
    }),
    z.object({ type: z.literal("fold.progress"), ...fold, progress: chatFoldProgressSchema }),
    z.object({
      type: z.literal("fold.done"),
      ...fold,
      result: chatFoldResultSchema,
      notify: z.boolean().describe("False when the user switched notifications off."),
    }),
    z.object({
      type: z.literal("fold.failed"),
      ...fold,
      problem: problemSchema,
      sentInstead: z
        .enum(["full-history", "earlier-summary", "built-in-summary", "nothing"])
        .describe("What the model was really sent; `nothing` after a failed fold by hand."),
      retryAt: z.string().nullable(),
      breakerOpen: z.boolean(),
    }),
    z.object({
      type: z.literal("fold.skipped"),
      ...fold,
      reason: skipReasonSchema,
      message: z.string(),
    }),
    z.object({ type: z.literal("fold.cancelled"), ...fold }),
    z.object({
      type: z.literal("fold.undone"),
      sessionId: z.string(),
      undoneId: z.string(),
      activeId: z.string().nullable(),
    }),
    z.object({
      type: z.literal("context.limited"),
      sessionId: z.string(),
      message: z.string(),
      tokens: z.int(),
      usable: z.int(),
    }),
  ])
  .meta({ id: "ChatFoldEvent" });
export type ChatFoldEvent = z.infer<typeof chatFoldEventSchema>;

/** GET /sessions/{id}/events, as server-sent events; `event:` repeats `type`, `data:` is this object. */
export const sessionEventSchema = z
  .union([
    chatFoldEventSchema,
    z.discriminatedUnion("type", [
      z.object({ type: z.literal("session.created"), session: sessionSchema }),
      z.object({ type: z.literal("session.updated"), session: sessionSchema }),
      z.object({ type: z.literal("session.deleted"), sessionId: z.string() }),
      z.object({ type: z.literal("message.added"), message: messageSchema }),
      z.object({ type: z.literal("message.updated"), message: messageSchema }),
      z.object({ type: z.literal("summary.changed"), sessionId: z.string(), activeId: z.string().nullable() }),
      z.object({ type: z.literal("usage.changed"), sessionId: z.string(), usage: usageSchema }),
      z.object({ type: z.literal("settings.changed"), scope: z.string() }),
    ]),
  ])
  .meta({ id: "SessionEvent" });
export type SessionEvent = z.infer<typeof sessionEventSchema>;

/** The stream a message is answered with. The first event is `turn.start`, the last `turn.end` or `turn.error`. */
export const turnEventSchema = z
  .union([
    chatFoldEventSchema,
    z.discriminatedUnion("type", [
      z.object({
        type: z.literal("turn.start"),
        turnId: z.string(),
        session: sessionSchema.describe("For edit-and-branch this is the new session."),
        userMessage: messageSchema,
      }),
      z.object({ type: z.literal("usage.changed"), sessionId: z.string(), usage: usageSchema }),
      z.object({ type: z.literal("reply.start"), messageId: z.string(), model: z.string() }),
      z.object({ type: z.literal("reply.text"), messageId: z.string(), text: z.string() }),
      z.object({ type: z.literal("reply.reasoning"), messageId: z.string(), text: z.string() }),
      z.object({
        type: z.literal("reply.tool-call"),
        messageId: z.string(),
        id: z.string(),
        name: z.string(),
        input: z.string(),
      }),
      z.object({ type: z.literal("reply.end"), message: messageSchema }),
      z.object({
        type: z.literal("turn.end"),
        turnId: z.string(),
        status: z.enum(["complete", "interrupted"]),
        usage: usageSchema,
      }),
      z.object({
        type: z.literal("turn.error"),
        turnId: z.string(),
        problem: problemSchema,
        message: messageSchema.nullable().describe("The partial reply, stored and marked, if there was one."),
      }),
    ]),
  ])
  .meta({ id: "TurnEvent" });
export type TurnEvent = z.infer<typeof turnEventSchema>;
