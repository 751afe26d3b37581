import { resolveModel } from "@midfold/core";
import type { OwnerStore, ResolvedSetting, SettingScope } from "@midfold/store";
import { type SettingSource, type Settings, settingNames } from "../../api/settings.ts";
import type { Chat } from "../chat.ts";
import { defaultSettings } from "./chat-settings.ts";
import { parentTarget, parseScope, targetOf } from "./setting-scope.ts";

/** Every setting at a scope with its value, where it comes from, and what it would be without an own one there. */
export async function readSettings(chat: Chat, store: OwnerStore, scopeText: string): Promise<Settings> {
  const scope = parseScope(chat, scopeText);
  const model = await modelOf(chat, store, scope);
  const target = targetOf(chat, scope, model);
  const defaults = defaultSettings(
    chat,
    model === undefined ? undefined : resolveModel(model, { overrides: chat.modelOverrides }),
  );
  const [resolved, inherited, stored] = await Promise.all([
    store.settings.resolve(target, defaults),
    scope.kind === "global" ? undefined : store.settings.resolve(parentTarget(target, scope), defaults),
    store.settings.get(scope),
  ]);
  const describe = (name: string, setting: ResolvedSetting | undefined): SettingSource => {
    const level = setting?.source ?? "default";
    if (level === "default") return { level: name in chat.config ? "config" : "default", name: null };
    if (level === "global") return { level, name: null };
    const value = { provider: target.provider, model: target.model, session: target.sessionId }[level];
    return { level, name: value ?? null };
  };
  const values = Object.fromEntries(
    settingNames.map((name) => {
      const without = inherited?.[name];
      return [
        name,
        {
          value: resolved[name]?.value,
          source: describe(name, resolved[name]),
          inherited: inherited === undefined ? defaults[name] : without?.value,
          inheritedFrom: describe(name, without),
        },
      ];
    }),
  );
  const own = Object.fromEntries(settingNames.flatMap((name) => (name in stored ? [[name, stored[name]]] : [])));
  return { scope: scopeText, values, own };
}

async function modelOf(chat: Chat, store: OwnerStore, scope: SettingScope): Promise<string | undefined> {
  if (scope.kind === "model") return scope.model;
  if (scope.kind !== "session") return undefined;
  return (await store.sessions.get(scope.sessionId)).model ?? chat.models.defaultModel;
}
