import { presetNames, rungNames } from "@midfold/core/strategies";
import { z } from "zod";

const count = z.int().positive();
/** Null switches a threshold off. */
const threshold = count.nullish();

/** The documented block, with its field names. */
export const compactSchema = z.strictObject({
  max_tokens: count.default(2_000),
  token_threshold: count.nullable().default(60_000),
  message_threshold: threshold,
  turn_threshold: threshold,
  retention_window: z.int().nonnegative().default(6),
  model: z.string().min(1).optional(),
  prompt: z.string().min(1).optional(),
  summary_tag: z
    .string()
    .regex(/^[A-Za-z][\w-]*$/, "must be a tag name: letters, digits, dashes")
    .default("summary"),
});

export const strategySchema = z.enum(["middle-out", "sliding-window"]);
export const headPercentSchema = z.number().min(0).max(90);
export const toolsSchema = z.enum(["preserve", "clip", "fold"]);
export const presetSchema = z.enum(presetNames);

const triggerSchema = z.union([
  z.number(),
  z.string(),
  z.strictObject({
    tokens: z.union([z.number(), z.string()]).optional(),
    messages: count.optional(),
    turns: count.optional(),
  }),
]);

/** Settings a route may have; `fold:` sets them for all other routes. */
export const foldShape = {
  enabled: z.boolean().optional(),
  preset: presetSchema.optional(),
  strategy: strategySchema.optional(),
  headPercent: headPercentSchema.optional(),
  tools: toolsSchema.optional(),
  /** Share of the window over which a tool result is clipped as soon as it appears. */
  clipNewResults: z.number().gt(0).max(1).optional(),
  ladder: z.array(z.enum(rungNames)).min(1).optional(),
  trigger: triggerSchema.optional(),
  compact: compactSchema.optional(),
};

export type CompactInput = z.infer<typeof compactSchema>;
export type FoldInput = z.infer<z.ZodObject<typeof foldShape>>;
