import { z } from "zod";

export const roleSchema = z.enum(["system", "user", "assistant", "tool"]);

const textPartSchema = z.object({ type: z.literal("text"), text: z.string() });
const imagePartSchema = z.object({
  type: z.literal("image"),
  mediaType: z.string().optional(),
  data: z.string().optional().describe("Base64, without a data-URL prefix."),
  url: z.string().optional(),
  fileId: z.string().optional().describe("The provider's id of a file it has."),
  width: z.number().optional(),
  height: z.number().optional(),
  detail: z.enum(["low", "high", "auto", "original"]).optional(),
});
const filePartSchema = z.object({
  type: z.literal("file"),
  name: z.string().optional(),
  mediaType: z.string().optional(),
  data: z.string().optional(),
  text: z.string().optional(),
  url: z.string().optional(),
  fileId: z.string().optional().describe("The provider's id of a file it has."),
  bytes: z.int().nonnegative().optional(),
});

/** What a person may say: words, pictures, files. */
export const userPartSchema = z
  .discriminatedUnion("type", [textPartSchema, imagePartSchema, filePartSchema])
  .meta({ id: "UserPart" });

/** What a message is made of; the neutral parts of `@midfold/core`, without their wire objects. */
export const partSchema = z
  .discriminatedUnion("type", [
    textPartSchema,
    imagePartSchema,
    filePartSchema,
    z.object({
      type: z.literal("reasoning"),
      text: z.string(),
      signature: z.string().optional(),
      opaque: z.string().optional(),
    }),
    z.object({
      type: z.literal("tool-call"),
      id: z.string(),
      name: z.string(),
      input: z.string(),
      custom: z.boolean().optional().describe("The input is free text rather than JSON."),
      hosted: z.boolean().optional().describe("Run by the provider itself."),
    }),
    z.object({
      type: z.literal("tool-result"),
      callId: z.string(),
      name: z.string().optional(),
      content: z.array(
        z.discriminatedUnion("type", [
          textPartSchema,
          imagePartSchema,
          filePartSchema,
          z.object({ type: z.literal("other"), kind: z.string(), value: z.unknown() }),
        ]),
      ),
      isError: z.boolean().optional(),
      custom: z.boolean().optional(),
      hosted: z.boolean().optional(),
    }),
    z.object({ type: z.literal("other"), kind: z.string(), value: z.unknown() }),
  ])
  .meta({ id: "Part" });
export type ApiPart = z.infer<typeof partSchema>;

/** `complete` is settled, `streaming` is being written, `interrupted` was stopped or cut off, `failed` has no reply. */
export const messageStatusSchema = z.enum(["complete", "streaming", "interrupted", "failed"]);

/** `hidden` messages were replaced by a retry or removed by the user: kept, shown on request, never sent. */
export const visibilitySchema = z.enum(["visible", "hidden"]);

export const messageSchema = z
  .object({
    id: z.string(),
    sessionId: z.string(),
    sequence: z.int().describe("Order within the session, assigned by the store; never reused."),
    role: roleSchema,
    parts: z.array(partSchema),
    text: z.string().describe("The readable words of the message, for lists and copying."),
    createdAt: z.string(),
    status: messageStatusSchema,
    visibility: visibilitySchema,
    model: z.string().nullable(),
    inputTokens: z.int().nullable().describe("What this message costs as input; for replies, the whole request."),
    outputTokens: z.int().nullable(),
    summaryId: z.string().nullable().describe("The active summary that stands for this message, if it is folded."),
    inContext: z.boolean().describe("Whether the next request contains this message word for word."),
    recalled: z
      .string()
      .nullable()
      .describe("For replies: excerpts of summarized messages that were sent with the question."),
    error: z.string().nullable().describe("Why a failed or interrupted reply ended."),
  })
  .meta({ id: "Message" });
export type ApiMessage = z.infer<typeof messageSchema>;

/** A page of the whole history, oldest first; folded messages are part of it. */
export const messagePageSchema = z
  .object({
    messages: z.array(messageSchema),
    total: z.int(),
    before: z.string().nullable().describe("Cursor for the page of older messages."),
    after: z.string().nullable().describe("Cursor for the page of newer messages."),
  })
  .meta({ id: "MessagePage" });

export const messagePageQuerySchema = z.object({
  before: z.string().optional().describe("Messages older than this cursor; without cursors the newest page."),
  after: z.string().optional(),
  around: z.string().optional().describe("A message id to centre the page on: deep links."),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
  hidden: z.stringbool().default(false).describe("Include hidden messages."),
});
