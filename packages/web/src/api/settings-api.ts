import { path, request } from "./request.ts";
import type * as t from "./types.gen.ts";

/** Requests that only the settings page makes. */
export const settingsApi = {
  getPrompts: () => request<t.PromptInfo>("GET", "/settings/prompts"),
  updateModel: (body: t.UpdateModel) => request<t.Model>("PATCH", "/models", { body }),
  listKeys: () => request<t.KeyList>("GET", "/keys"),
  listProviders: () => request<t.ProviderList>("GET", "/providers"),
  putProvider: (name: string, body: t.PutProvider) =>
    request<t.ProviderList>("PUT", path`/providers/${name}`, { body }),
  testProvider: (body: t.TestProvider) => request<t.TestedProvider>("POST", "/providers/test", { body }),
  removeProvider: (name: string) => request<undefined>("DELETE", path`/providers/${name}`),
  createClientKey: (name: string) => request<t.CreatedClientKey>("POST", "/keys/clients", { body: { name } }),
  revokeClientKey: (id: string) => request<undefined>("DELETE", path`/keys/clients/${id}`),
};

export const settingsKeys = {
  prompts: ["settings-prompts"] as const,
  keys: ["keys"] as const,
  providers: ["providers"] as const,
};
