import { type FormatName, formats } from "@midfold/core";
import { z } from "zod";
import { partSchema, roleSchema } from "./message.ts";
import { sessionSchema } from "./session.ts";
import { summaryContentSchema } from "./summary.ts";

export const importFormatSchema = z.enum([
  "auto",
  "midfold",
  "markdown",
  ...(Object.keys(formats) as FormatName[]),
  "claude-code",
  "codex",
  "chat-export",
]);

export const importSessionSchema = z
  .object({
    content: z.string().min(1).describe("The file as text: JSON, JSON lines or Markdown."),
    format: importFormatSchema.default("auto"),
    title: z.string().max(500).optional(),
    fileName: z.string().max(500).optional().describe("The title where the file itself names none."),
    model: z.string().max(200).optional(),
    takeSystem: z
      .boolean()
      .default(false)
      .describe(
        "True: the file's system prompt becomes the session's. Otherwise it is kept as a note that only people see: whoever wrote the file may not be who imports it.",
      ),
  })
  .meta({ id: "ImportSession" });
export type ImportSession = z.infer<typeof importSessionSchema>;

export const importResultSchema = z
  .object({
    session: sessionSchema.describe("The first of `sessions`."),
    sessions: z.array(sessionSchema).describe("One per conversation of the file."),
    format: importFormatSchema,
    imported: z.int().describe("Messages, over all conversations."),
    skipped: z.int().describe("Entries of the file that are not messages, or could not be read."),
    warnings: z.array(z.string()),
  })
  .meta({ id: "ImportResult" });
export type ImportResult = z.infer<typeof importResultSchema>;

export const exportQuerySchema = z.object({ format: z.enum(["json", "markdown"]).default("json") });

/** The JSON export; importing it gives the same messages and summaries back. */
export const exportSchema = z
  .object({
    midfold: z.literal(1),
    title: z.string(),
    model: z.string(),
    system: z.string().nullable(),
    exportedAt: z.string(),
    messages: z.array(
      z.object({
        id: z.string(),
        role: roleSchema,
        parts: z.array(partSchema),
        createdAt: z.string(),
        status: z.string(),
        visibility: z.string(),
        model: z.string().nullable(),
        inputTokens: z.int().nullable(),
        outputTokens: z.int().nullable(),
      }),
    ),
    summaries: z.array(
      z.object({ id: z.string(), active: z.boolean(), cutoffMessageId: z.string(), content: summaryContentSchema }),
    ),
  })
  .meta({ id: "SessionExport" });
export type SessionExport = z.infer<typeof exportSchema>;

export const exampleSchema = z
  .object({
    language: z.enum(["en", "zh"]).default("en"),
    model: z.string().optional().describe("The demo model when absent, whose small window makes a fold happen soon."),
  })
  .meta({ id: "LoadExample" });
