import { z } from "zod";
import { summaryStyleSchema } from "./folds.ts";

/** The built-in templates that the chat offers. */
export const summaryTemplates = ["general", "code", "technical"] as const;

/** Every setting of the chat, with its limits. Absent means inherited. */
export const settingValuesSchema = z
  .object({
    autoCompression: z.boolean().describe("Fold by itself when the threshold is reached."),
    thresholdPercent: z.number().min(10).max(100).describe("Percent of the model's window."),
    safetyPercent: z.number().min(0).max(50).describe("Percent of the window kept free."),
    retentionTokens: z.int().min(0).max(1_000_000).describe("Newest tokens kept as they are."),
    minTokens: z.int().min(0).max(1_000_000).describe("No automatic fold below this size."),
    maxOutputTokens: z.int().min(1).max(1_000_000).nullable().describe("Reserve for the reply; null: the model's own."),
    maxSummaryTokens: z.int().min(64).max(32_000),
    temperature: z.number().min(0).max(2).nullable().describe("How freely the model chooses its words; null: its own."),
    summaryModel: z.string().max(200).nullable().describe("Null: the provider's default, or built in without a key."),
    summaryStyle: summaryStyleSchema,
    summaryTemplate: z.enum([...summaryTemplates, "custom"]),
    summaryPrompt: z.string().max(50_000).nullable().describe("Used when the template is `custom`."),
    notifications: z.boolean().describe("Tell the user when the history was folded."),
    defaultModel: z.string().min(1).max(200).describe("Model of new sessions."),
    systemPrompt: z.string().max(200_000).nullable().describe("System prompt of sessions that have none."),
    modelTitles: z.boolean().describe("A model writes the title of a new session after its first reply."),
  })
  .partial()
  .meta({ id: "SettingValues" });
export type SettingValues = z.infer<typeof settingValuesSchema>;
export type SettingName = keyof SettingValues;

/** `global`, `provider:openai`, `model:gpt-4o` or `session:<id>`. */
export const settingScopeSchema = z
  .string()
  .regex(/^(global|provider:.+|model:.+|session:.+)$/, "must be global, provider:<name>, model:<name> or session:<id>");

export const settingSourceSchema = z.object({
  level: z.enum(["default", "config", "global", "provider", "model", "session"]),
  name: z.string().nullable().describe("Which provider, model or session."),
});
export type SettingSource = z.infer<typeof settingSourceSchema>;

const effective = z.object({
  value: z.unknown(),
  source: settingSourceSchema,
  inherited: z.unknown().describe("The value it would have without an own one at this scope."),
  inheritedFrom: settingSourceSchema,
});

export const settingsSchema = z
  .object({
    scope: z.string(),
    values: z.record(z.string(), effective).describe("Every setting by name."),
    own: settingValuesSchema.describe("What is set at this very scope."),
  })
  .meta({ id: "Settings" });
export type Settings = z.infer<typeof settingsSchema>;

export const settingsQuerySchema = z.object({ scope: settingScopeSchema.default("global") });

export const settingNames = Object.keys(settingValuesSchema.shape) as [SettingName, ...SettingName[]];

export const updateSettingsSchema = z
  .object({
    scope: settingScopeSchema.default("global"),
    set: settingValuesSchema.default({}),
    reset: z.array(z.enum(settingNames)).default([]).describe("Names to inherit again."),
  })
  .meta({ id: "UpdateSettings" });

export const promptInfoSchema = z
  .object({
    templates: z.array(z.object({ name: z.enum(summaryTemplates), text: z.string() })),
    variables: z.array(z.object({ name: z.string(), meaning: z.string() })),
  })
  .meta({ id: "PromptInfo" });
export type PromptInfo = z.infer<typeof promptInfoSchema>;
