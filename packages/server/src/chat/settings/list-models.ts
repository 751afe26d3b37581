import { type ModelInfo, resolveModel, supportedModels } from "@midfold/core";
import type { Model } from "../../api/models.ts";
import type { Chat } from "../chat.ts";
import type { ChatModel, ListedModel } from "../models/chat-models.ts";
import { reach, resolveChatModel } from "./resolve-chat-model.ts";
import { modelScope } from "./setting-scope.ts";

/** Fields of a model that a user can change, as they are stored. */
const editable = ["window", "maxOutput", "thresholdPercent", "retentionTokens"] as const;

/** First what can be used now, then every model of the registry. */
export async function listModelRows(chat: Chat): Promise<readonly Model[]> {
  const usable = await chat.models.list();
  const stored = (await chat.store.settings.list()).flatMap(({ scope }) =>
    scope.kind === "model" ? [scope.model] : [],
  );
  const known = supportedModels(chat.modelOverrides).map(({ id }) => id);
  const names = [...new Set([...usable.map(({ id }) => id), ...stored, ...known])];
  return Promise.all(names.map((name) => toModelRow(chat, name, usable)));
}

/**
 * The model for new conversations: the one that was set, else a real one if there is any. Of several, the one in the
 * middle by price is taken.
 */
export async function modelForNewSessions(chat: Chat): Promise<string> {
  const { settings } = await resolveChatModel(chat, chat.models.defaultModel);
  const wasSet = "defaultModel" in (await chat.store.settings.get({ kind: "global" })) || "defaultModel" in chat.config;
  if (wasSet || !chat.models.find(settings.defaultModel).demo) return settings.defaultModel;
  const listed = await chat.models.list();
  const names = listed.filter(({ demo }) => !demo).map(({ id }) => id);
  const priced = names
    .map((id) => resolveModel(id, { overrides: chat.modelOverrides }))
    .filter(({ known, prices }) => known && prices.input !== undefined)
    .toSorted((a, b) => (a.prices.input ?? 0) - (b.prices.input ?? 0) || a.window - b.window);
  return priced[Math.floor(priced.length / 2)]?.id ?? names[0] ?? settings.defaultModel;
}

export async function toModelRow(chat: Chat, name: string, known?: readonly ListedModel[]): Promise<Model> {
  const listed = known ?? (await chat.models.list());
  const usable = listed.map(({ id }) => id);
  const [{ info, settings, windowSource, counter, upstream }, own] = await Promise.all([
    resolveChatModel(chat, name),
    chat.store.settings.get(modelScope(chat, name)),
  ]);
  return {
    id: name,
    provider: upstream?.provider ?? info.provider ?? null,
    window: info.window,
    maxOutput: info.maxOutput,
    tokenizer: counter.name,
    exactTokenizer: counter.exact,
    thresholdPercent: settings.thresholdPercent,
    retentionTokens: settings.retentionTokens,
    prices: { ...info.prices },
    known: info.known,
    windowSource,
    available: upstream !== undefined && (usable.includes(name) || isHome(chat, upstream, info, usable)),
    demo: upstream?.demo ?? false,
    seesImages: listed.find(({ id }) => id === name)?.seesImages ?? null,
    overrides: editable.filter((field) => field in own),
  };
}

/**
 * Whether an upstream without a model list is the provider of this model. A route for "*" takes every name, but that
 * does not make the demo model, or OpenAI, answer as Claude.
 */
function isHome(chat: Chat, upstream: ChatModel, info: ModelInfo, listed: readonly string[]): boolean {
  if (upstream.demo || info.provider !== upstream.provider) return false;
  return !listed.some((name) => reach(chat.models, name)?.provider === upstream.provider);
}
