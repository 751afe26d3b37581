import { supportedModels } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Model } from "../../api/models.ts";
import type { Chat } from "../chat.ts";
import { resolveChatModel } from "./resolve-chat-model.ts";
import { modelScope } from "./setting-scope.ts";

/** Fields of a model that a user can change, as they are stored. */
const editable = ["window", "maxOutput", "thresholdPercent", "retentionTokens"] as const;

/** R1 FR-3.2.1: what can be used now first, then every model the registry knows. */
export async function listModelRows(chat: Chat, store: OwnerStore): Promise<readonly Model[]> {
  const usable = (await chat.models.list()).map(({ id }) => id);
  const stored = (await store.settings.list()).flatMap(({ scope }) => (scope.kind === "model" ? [scope.model] : []));
  const known = supportedModels(chat.modelOverrides).map(({ id }) => id);
  const names = [...new Set([...usable, ...stored, ...known])];
  return Promise.all(names.map((name) => toModelRow(chat, store, name)));
}

export async function toModelRow(chat: Chat, store: OwnerStore, name: string): Promise<Model> {
  const [{ info, settings, windowSource, counter, upstream }, own] = await Promise.all([
    resolveChatModel(chat, store, name),
    store.settings.get(modelScope(chat, name)),
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
    available: upstream !== undefined,
    demo: upstream?.demo ?? false,
    overrides: editable.filter((field) => field in own),
  };
}
