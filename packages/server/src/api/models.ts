import { z } from "zod";

/** One row of the models table. */
export const modelSchema = z
  .object({
    id: z.string(),
    provider: z.string().nullable(),
    window: z.int(),
    maxOutput: z.int(),
    tokenizer: z.string(),
    exactTokenizer: z.boolean(),
    thresholdPercent: z.number(),
    retentionTokens: z.int(),
    prices: z
      .object({
        input: z.number().optional(),
        output: z.number().optional(),
        cacheRead: z.number().optional(),
        cacheWrite: z.number().optional(),
      })
      .describe("US dollars per million tokens."),
    known: z.boolean().describe("False: the window is a careful guess."),
    windowSource: z.enum(["built-in", "override", "learned", "upstream", "guess"]),
    available: z.boolean().describe("A key or a local server is configured, or it is the demo model."),
    demo: z.boolean(),
    seesImages: z.boolean().nullable().describe("Whether it takes pictures; null where nobody says"),
    overrides: z.array(z.string()).describe("Names of the fields the user has changed."),
  })
  .meta({ id: "Model" });
export type Model = z.infer<typeof modelSchema>;

export const modelListSchema = z
  .object({ models: z.array(modelSchema), defaultModel: z.string() })
  .meta({ id: "ModelList" });

export const updateModelSchema = z
  .object({
    id: z.string().min(1).max(200),
    set: z
      .object({
        window: z.int().min(256).max(100_000_000).optional(),
        maxOutput: z.int().min(1).max(10_000_000).optional(),
        thresholdPercent: z.number().min(10).max(100).optional(),
        retentionTokens: z.int().min(0).optional(),
      })
      .default({}),
    reset: z.array(z.enum(["window", "maxOutput", "thresholdPercent", "retentionTokens"])).default([]),
  })
  .meta({ id: "UpdateModel" });
