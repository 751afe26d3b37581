import { presetNames } from "@midfold/core/strategies";
import { z } from "zod";
import { partSchema, roleSchema } from "./message.ts";
import { problemSchema } from "./problem.ts";
import { lossReportSchema } from "./summary.ts";
import { importFormatSchema } from "./transfer.ts";

export const presetNameSchema = z.enum(presetNames);

export const playgroundRunSchema = z.object({
  name: z.string().max(100).optional(),
  preset: presetNameSchema,
  target: z.number().min(0.05).max(1).optional().describe("Low-water mark as a share of the budget."),
  headMessages: z.int().min(0).optional(),
  tailMessages: z.int().min(0).optional(),
  retentionTokens: z.int().min(0).optional(),
  summarizer: z.enum(["none", "extractive", "model"]).default("extractive"),
});

export const playgroundRequestSchema = z
  .object({
    transcript: z.string().min(1).describe("A transcript file as text, in any format that can be imported."),
    format: importFormatSchema.default("auto"),
    model: z.string(),
    window: z.int().min(256).optional().describe("Instead of the model's window."),
    budget: z.int().min(64).optional().describe("Input budget in tokens, instead of one computed from the window."),
    force: z.boolean().default(false).describe("Fold even though everything fits."),
    runs: z.array(playgroundRunSchema).min(1).max(6),
  })
  .meta({ id: "PlaygroundRequest" });
export type PlaygroundRequest = z.infer<typeof playgroundRequestSchema>;

export const playgroundRunResultSchema = z
  .object({
    name: z.string(),
    preset: presetNameSchema,
    outcome: z.enum(["fits", "below-minimum", "clipped", "reused", "folded", "failed"]),
    error: problemSchema.nullable(),
    tokens: z
      .object({
        before: z.int(),
        after: z.int(),
        budget: z.int(),
        target: z.int(),
        window: z.int(),
        exact: z.boolean(),
      })
      .nullable(),
    plan: z
      .object({
        atoms: z.array(
          z.object({
            kind: z.string(),
            first: z.int(),
            last: z.int(),
            tokens: z.int(),
            pinned: z.boolean(),
            decision: z.enum(["keep", "clip", "drop", "fold"]),
          }),
        ),
        reasons: z.array(z.object({ rung: z.string(), rule: z.string(), atoms: z.int(), freed: z.int() })),
      })
      .nullable(),
    messages: z.array(
      z.object({
        role: roleSchema,
        parts: z.array(partSchema),
        text: z.string(),
        tokens: z.int(),
        origin: z.enum(["kept", "changed", "inserted"]),
        index: z.int().nullable().describe("Index in the transcript, where it came from one message."),
      }),
    ),
    loss: lossReportSchema.nullable(),
    warnings: z.array(z.object({ code: z.string(), message: z.string() })),
    durationMs: z.number(),
  })
  .meta({ id: "PlaygroundRunResult" });
export type PlaygroundRunResult = z.infer<typeof playgroundRunResultSchema>;

export const playgroundResultSchema = z
  .object({
    format: importFormatSchema,
    messages: z.array(z.object({ role: roleSchema, text: z.string(), tokens: z.int() })),
    tokens: z.int(),
    runs: z.array(playgroundRunResultSchema),
  })
  .meta({ id: "PlaygroundResult" });
export type PlaygroundResult = z.infer<typeof playgroundResultSchema>;
