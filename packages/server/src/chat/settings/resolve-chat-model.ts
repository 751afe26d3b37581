import { getCounter, isMidfoldError, type ModelInfo, resolveModel, type TokenCounter } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Model } from "../../api/models.ts";
import { resolveWindow, type Window } from "../../exchange/window.ts";
import type { LimitKey } from "../../learn/limits.ts";
import type { Chat } from "../chat.ts";
import type { ChatModel, ChatModels } from "../models/chat-models.ts";
import { type ChatSettings, defaultSettings } from "./chat-settings.ts";
import { modelScope } from "./setting-scope.ts";

/** Everything a turn needs to know about its model: limits, settings, counter, and the upstream. */
export interface ResolvedModel {
  readonly name: string;
  readonly info: ModelInfo;
  readonly windowSource: Model["windowSource"];
  readonly settings: ChatSettings;
  readonly counter: TokenCounter;
  /** The model whose counting rules apply. */
  readonly countAs: string;
  /** Undefined when no upstream serves it: its tokens can be counted, but it cannot be used. */
  readonly upstream: ChatModel | undefined;
}

/** The user's own window overrides everything; without one the window is resolved as in the gateway. */
export async function resolveChatModel(chat: Chat, name: string, sessionId?: string): Promise<ResolvedModel> {
  const upstream = reach(chat.models, name);
  const scope = modelScope(chat, name);
  const registered = resolveModel(name, {
    overrides: { ...chat.modelOverrides, ...(upstream?.facts === undefined ? {} : { [name]: upstream.facts }) },
  });
  const target = { provider: scope.provider, model: name, ...(sessionId === undefined ? {} : { sessionId }) };
  const resolved = await chat.store.settings.resolve(target, defaultSettings(chat, registered));
  const settings = Object.fromEntries(
    Object.entries(resolved).map(([key, { value }]) => [key, value]),
  ) as unknown as ChatSettings & { readonly window?: number; readonly maxOutput?: number };

  const { limits, calibrations } = chat.exchange;
  await Promise.all([limits.load(chat.store.owner), calibrations.load(chat.store.owner)]);
  const found =
    upstream === undefined
      ? undefined
      : resolveWindow(chat.exchange, keyOf(chat.store, upstream), upstream.destination);
  const window = settings.window ?? found?.tokens ?? registered.window;
  const maxOutput = Math.min(settings.maxOutput ?? registered.maxOutput, window);
  const countAs = upstream?.countAs ?? name;
  const windowSource =
    settings.window !== undefined
      ? "override"
      : found === undefined
        ? registered.known
          ? "built-in"
          : "guess"
        : windowSources[found.source];
  return {
    name,
    info: { ...registered, window, maxOutput, known: windowSource !== "guess" },
    windowSource,
    settings,
    counter: upstream === undefined ? getCounter(countAs) : calibrations.counterFor(chat.store.owner, countAs),
    countAs,
    upstream,
  };
}

/** The key under which limits and counts of a model are learned, for chat and gateway alike. */
export function keyOf(store: OwnerStore, { destination }: ChatModel): LimitKey {
  return { tenant: store.owner, upstream: destination.upstream, model: destination.model };
}

const windowSources: Readonly<Record<Window["source"], Model["windowSource"]>> = {
  route: "upstream",
  learned: "learned",
  upstream: "upstream",
  registry: "built-in",
  guess: "guess",
};

/** The model, or undefined where no upstream serves it. */
export function reach(models: ChatModels, name: string): ChatModel | undefined {
  try {
    return models.find(name);
  } catch (error) {
    if (isMidfoldError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}
