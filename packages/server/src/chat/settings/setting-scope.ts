import { MidfoldError, resolveModel } from "@midfold/core";
import type { SettingScope, SettingTarget } from "@midfold/store";
import type { Chat } from "../chat.ts";

/** Used for models whose provider is unknown. */
const unknownProvider = "unknown";

/** The provider a model's settings are inherited from. */
export function providerOf(chat: Chat, model: string): string {
  return resolveModel(model, { overrides: chat.modelOverrides }).provider ?? unknownProvider;
}

export function modelScope(chat: Chat, model: string): SettingScope & { readonly kind: "model" } {
  return { kind: "model", provider: providerOf(chat, model), model };
}

/** `global`, `provider:openai`, `model:gpt-4o`, `session:<id>` as the store names it. */
export function parseScope(chat: Chat, text: string): SettingScope {
  const colon = text.indexOf(":");
  const kind = colon === -1 ? text : text.slice(0, colon);
  const name = colon === -1 ? "" : text.slice(colon + 1);
  switch (kind) {
    case "global":
      return { kind };
    case "provider":
      return { kind, provider: name };
    case "model":
      return modelScope(chat, name);
    case "session":
      return { kind, sessionId: name };
    default:
      throw new MidfoldError("VALIDATION_ERROR", `There is no settings scope "${text}".`);
  }
}

/** What a scope's values are resolved for; `model` is the session's model, for a session. */
export function targetOf(chat: Chat, scope: SettingScope, model: string | undefined): SettingTarget {
  switch (scope.kind) {
    case "global":
      return {};
    case "provider":
      return { provider: scope.provider };
    case "model":
      return { provider: scope.provider, model: scope.model };
    case "session": {
      const base = { sessionId: scope.sessionId };
      return model === undefined ? base : { ...base, provider: providerOf(chat, model), model };
    }
  }
}

/** The same target without its narrowest level: what the scope inherits from. */
export function parentTarget(target: SettingTarget, scope: SettingScope): SettingTarget {
  switch (scope.kind) {
    case "global":
    case "provider":
      return {};
    case "model":
      return { provider: scope.provider };
    case "session": {
      const { sessionId: _, ...rest } = target;
      return rest;
    }
  }
}
