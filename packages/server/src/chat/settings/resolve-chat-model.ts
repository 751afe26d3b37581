import { isMidfoldError, type ModelInfo, resolveModel, type TokenCounter } from "@midfold/core";
import type { OwnerStore } from "@midfold/store";
import type { Model } from "../../api/models.ts";
import type { Chat } from "../chat.ts";
import type { ChatModel } from "../models/chat-models.ts";
import { calibratedCounterFor } from "./calibrated-counter-for.ts";
import { type ChatSettings, defaultSettings } from "./chat-settings.ts";
import { modelScope } from "./setting-scope.ts";

/** Everything a turn needs to know about its model: limits, settings in force, counter, and the way to reach it. */
export interface ResolvedModel {
  readonly name: string;
  readonly info: ModelInfo;
  readonly windowSource: Model["windowSource"];
  readonly settings: ChatSettings;
  readonly counter: TokenCounter;
  /** The model whose counting rules apply. */
  readonly countAs: string;
  /** Undefined when no upstream serves it: it can be measured, not talked to. */
  readonly upstream: ChatModel | undefined;
}

/** Order of trust for the window: the user's, what the upstream taught us, what it says, the registry, a guess. */
export async function resolveChatModel(
  chat: Chat,
  store: OwnerStore,
  name: string,
  sessionId?: string,
): Promise<ResolvedModel> {
  const upstream = reach(chat, name);
  const scope = modelScope(chat, name);
  const learned = upstream === undefined ? undefined : await store.limits.get(upstream.provider, name);
  const registered = resolveModel(name, {
    overrides: { ...chat.modelOverrides, ...(upstream?.facts === undefined ? {} : { [name]: upstream.facts }) },
  });
  const target = { provider: scope.provider, model: name, ...(sessionId === undefined ? {} : { sessionId }) };
  const resolved = await store.settings.resolve(target, defaultSettings(chat, registered));
  const settings = Object.fromEntries(
    Object.entries(resolved).map(([key, { value }]) => [key, value]),
  ) as unknown as ChatSettings & { readonly window?: number; readonly maxOutput?: number };

  const window = settings.window ?? learned?.contextWindow ?? registered.window;
  const maxOutput = Math.min(settings.maxOutput ?? learned?.maxOutputTokens ?? registered.maxOutput, window);
  const windowSource =
    settings.window !== undefined
      ? "override"
      : learned?.contextWindow !== undefined
        ? "learned"
        : upstream?.facts?.window !== undefined
          ? "upstream"
          : registered.known
            ? "built-in"
            : "guess";
  return {
    name,
    info: { ...registered, window, maxOutput, known: windowSource !== "guess" },
    windowSource,
    settings,
    counter: await calibratedCounterFor(store, name, upstream?.countAs ?? name),
    countAs: upstream?.countAs ?? name,
    upstream,
  };
}

function reach(chat: Chat, name: string): ChatModel | undefined {
  try {
    return chat.models.find(name);
  } catch (error) {
    if (isMidfoldError(error, "NOT_FOUND")) return undefined;
    throw error;
  }
}
