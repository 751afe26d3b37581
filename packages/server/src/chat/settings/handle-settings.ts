import { MidfoldError, resolveModel } from "@midfold/core";
import type { Model } from "../../api/models.ts";
import { promptInfo } from "../compression/summary-prompts.ts";
import { publishEvent } from "../events/publish-event.ts";
import type { Handler } from "../http/handler.ts";
import { listModelRows, modelForNewSessions, toModelRow } from "./list-models.ts";
import { readSettings } from "./read-settings.ts";
import { modelScope, parseScope } from "./setting-scope.ts";

export const getSettings: Handler<"getSettings"> = ({ chat, store, query }) => readSettings(chat, store, query.scope);

export const updateSettings: Handler<"updateSettings"> = async ({ chat, store, body }) => {
  const scope = parseScope(chat, body.scope);
  // Reading it first says NOT_FOUND before anything is stored for a session that does not exist.
  if (scope.kind === "session") await store.sessions.get(scope.sessionId);
  const both = body.reset.filter((name) => name in body.set);
  if (both.length > 0) {
    throw new MidfoldError("VALIDATION_ERROR", `Setting and resetting at once: ${both.join(", ")}. Do one of them.`);
  }
  await store.settings.set(scope, { ...body.set, ...Object.fromEntries(body.reset.map((name) => [name, undefined])) });
  await publishEvent(chat, store, { type: "settings.changed", scope: body.scope });
  return readSettings(chat, store, body.scope);
};

export const getPrompts: Handler<"getPrompts"> = async () => promptInfo;

export const listModels: Handler<"listModels"> = async ({ chat, store }) => ({
  models: [...(await listModelRows(chat, store))],
  defaultModel: await modelForNewSessions(chat, store),
});

export const updateModel: Handler<"updateModel"> = async ({ chat, store, body }): Promise<Model> => {
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
  await store.settings.set(modelScope(chat, id), {
    ...set,
    ...Object.fromEntries(reset.map((name) => [name, undefined])),
  });
  await publishEvent(chat, store, { type: "settings.changed", scope: `model:${id}` });
  return toModelRow(chat, store, id);
};
