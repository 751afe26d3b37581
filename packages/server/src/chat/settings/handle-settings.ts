import { MidfoldError, resolveModel } from "@midfold/core";
import type { ResolvedSetting, SettingScope } from "@midfold/store";
import type { Model } from "../../api/models.ts";
import { type SettingSource, type Settings, settingNames } from "../../api/settings.ts";
import type { Chat } from "../chat.ts";
import { publishEvent } from "../events/publish-event.ts";
import { promptInfo } from "../folds/summary-prompts.ts";
import type { Handler } from "../http/handler.ts";
import { defaultSettings } from "./chat-settings.ts";
import { listModelRows, modelForNewSessions, toModelRow } from "./list-models.ts";
import { modelScope, parentTarget, parseScope, targetOf } from "./setting-scope.ts";

export const getSettings: Handler<"getSettings"> = ({ chat, query }) => readSettings(chat, query.scope);

export const updateSettings: Handler<"updateSettings"> = async ({ chat, body }) => {
  const scope = parseScope(chat, body.scope);
  // Throws NOT_FOUND before anything is stored for a session that does not exist.
  if (scope.kind === "session") await chat.store.sessions.get(scope.sessionId);
  const both = body.reset.filter((name) => name in body.set);
  if (both.length > 0) {
    throw new MidfoldError("VALIDATION_ERROR", `Setting and resetting at once: ${both.join(", ")}. Do one of them.`);
  }
  await chat.store.settings.set(scope, {
    ...body.set,
    ...Object.fromEntries(body.reset.map((name) => [name, undefined])),
  });
  await publishEvent(chat, { type: "settings.changed", scope: body.scope });
  return readSettings(chat, body.scope);
};

export const getPrompts: Handler<"getPrompts"> = async () => promptInfo;

export const listModels: Handler<"listModels"> = async ({ chat }) => ({
  models: [...(await listModelRows(chat))],
  defaultModel: await modelForNewSessions(chat),
});

export const updateModel: Handler<"updateModel"> = async ({ chat, body }): Promise<Model> => {
  const { id, set, reset } = body;
  if (set.maxOutput !== undefined) {
    const window = set.window ?? resolveModel(id, { overrides: chat.modelOverrides }).window;
    if (set.maxOutput > window) {
      throw new MidfoldError(
        "VALIDATION_ERROR",
        `maxOutput (${set.maxOutput}) cannot be larger than the window (${window}).`,
      );
    }
  }
  await chat.store.settings.set(modelScope(chat, id), {
    ...set,
    ...Object.fromEntries(reset.map((name) => [name, undefined])),
  });
  await publishEvent(chat, { type: "settings.changed", scope: `model:${id}` });
  return toModelRow(chat, id);
};

/** Every setting of a scope: its value, where it comes from, and what it would be without one of its own. */
async function readSettings(chat: Chat, scopeText: string): Promise<Settings> {
  const scope = parseScope(chat, scopeText);
  const model = await modelOf(chat, scope);
  const target = targetOf(chat, scope, model);
  const defaults = defaultSettings(
    chat,
    model === undefined ? undefined : resolveModel(model, { overrides: chat.modelOverrides }),
  );
  const [resolved, inherited, stored] = await Promise.all([
    chat.store.settings.resolve(target, defaults),
    scope.kind === "global" ? undefined : chat.store.settings.resolve(parentTarget(target, scope), defaults),
    chat.store.settings.get(scope),
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

async function modelOf(chat: Chat, scope: SettingScope): Promise<string | undefined> {
  if (scope.kind === "model") return scope.model;
  if (scope.kind !== "session") return undefined;
  return (await chat.store.sessions.get(scope.sessionId)).model ?? chat.models.defaultModel;
}
