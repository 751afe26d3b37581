import { path, request } from "../api/request.ts";
import type * as t from "../api/types.gen.ts";

/** What only the settings page asks for. */
export const settingsApi = {
  getPrompts: () => request<t.PromptInfo>("GET", "/settings/prompts"),
  updateModel: (body: t.UpdateModel) => request<t.Model>("PATCH", "/models", { body }),
  listKeys: () => request<t.KeyList>("GET", "/keys"),
  setProviderKey: (body: t.SetProviderKey) => request<t.KeyList>("PUT", "/keys/providers", { body }),
  createClientKey: (name: string) => request<t.CreatedClientKey>("POST", "/keys/clients", { body: { name } }),
  revokeClientKey: (id: string) => request<undefined>("DELETE", path`/keys/clients/${id}`),
};

export const settingsKeys = {
  prompts: ["settings-prompts"] as const,
  keys: ["keys"] as const,
};
