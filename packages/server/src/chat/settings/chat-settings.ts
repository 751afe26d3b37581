import type { ModelInfo } from "@midfold/core";
import { defaultMarginShare, defaultMinimumTokens } from "@midfold/core/budget";
import type { SettingName, SettingValues } from "../../api/settings.ts";
import type { Chat } from "../chat.ts";

/** Every setting with its current value. */
export type ChatSettings = { readonly [TName in SettingName]-?: Exclude<SettingValues[TName], undefined> };

/** The documented defaults, overridden by the model's own row and by the config file. */
export function defaultSettings(chat: Chat, info: ModelInfo | undefined): ChatSettings {
  return {
    autoCompression: true,
    thresholdPercent: (info?.threshold ?? 0.95) * 100,
    safetyPercent: defaultMarginShare * 100,
    retentionTokens: info?.retentionTokens ?? 1000,
    minTokens: defaultMinimumTokens,
    maxOutputTokens: null,
    temperature: null,
    maxSummaryTokens: 2000,
    summaryModel: null,
    summaryStyle: "balanced",
    summaryTemplate: "general",
    summaryPrompt: null,
    notifications: true,
    defaultModel: chat.models.defaultModel,
    systemPrompt: null,
    modelTitles: true,
    ...(Object.fromEntries(
      Object.entries(chat.config).filter(([, value]) => value !== undefined),
    ) as Partial<ChatSettings>),
  };
}
