import * as keys from "./keys.ts";
import * as models from "./models.ts";
import type { Operation } from "./operation.ts";
import * as playground from "./playground.ts";
import * as providers from "./providers.ts";
import * as settings from "./settings.ts";

/** Settings, models, keys, and the playground. */
export const settingsOperations = {
  getSettings: {
    method: "get",
    path: "/settings",
    tag: "settings",
    summary: "Every setting at a scope, with its value and where it comes from",
    query: settings.settingsQuerySchema,
    response: settings.settingsSchema,
  },
  updateSettings: {
    method: "patch",
    path: "/settings",
    tag: "settings",
    summary: "Set or reset settings at a scope",
    body: settings.updateSettingsSchema,
    response: settings.settingsSchema,
  },
  getPrompts: {
    method: "get",
    path: "/settings/prompts",
    tag: "settings",
    summary: "The built-in summarization prompts and the variables a custom one may use",
    response: settings.promptInfoSchema,
  },
  listModels: {
    method: "get",
    path: "/models",
    tag: "settings",
    summary: "The models table",
    response: models.modelListSchema,
  },
  updateModel: {
    method: "patch",
    path: "/models",
    tag: "settings",
    summary: "Correct a model's window, output limit, threshold or retention",
    body: models.updateModelSchema,
    response: models.modelSchema,
  },
  listKeys: {
    method: "get",
    path: "/keys",
    tag: "settings",
    summary: "Which provider keys are set, and the client keys",
    response: keys.keyListSchema,
  },
  setProviderKey: {
    method: "put",
    path: "/keys/providers",
    tag: "settings",
    summary: "Enter or forget a provider key, in memory only",
    body: keys.setProviderKeySchema,
    response: keys.keyListSchema,
  },
  listProviders: {
    method: "get",
    path: "/providers",
    tag: "settings",
    summary: "The model providers this owner has entered, and the kinds there are",
    response: providers.providerListSchema,
  },
  putProvider: {
    method: "put",
    path: "/providers/{name}",
    tag: "settings",
    summary: "Enter a model provider, or change one; its key is stored encrypted",
    body: providers.putProviderSchema,
    response: providers.providerListSchema,
  },
  testProvider: {
    method: "post",
    path: "/providers/test",
    tag: "settings",
    summary: "Ask a model provider for its models, before or after it is entered; nothing is stored",
    body: providers.testProviderSchema,
    response: providers.testedProviderSchema,
  },
  removeProvider: {
    method: "delete",
    path: "/providers/{name}",
    tag: "settings",
    summary: "Forget a model provider and its key",
    status: 204,
  },
  createClientKey: {
    method: "post",
    path: "/keys/clients",
    tag: "settings",
    summary: "Make a key for a client of the gateway",
    body: keys.createClientKeySchema,
    response: keys.createdClientKeySchema,
    status: 201,
  },
  revokeClientKey: {
    method: "delete",
    path: "/keys/clients/{keyId}",
    tag: "settings",
    summary: "Revoke a client key",
    status: 204,
  },
  playground: {
    method: "post",
    path: "/playground",
    tag: "playground",
    summary: "Fold a pasted transcript with several strategies side by side; nothing is stored",
    body: playground.playgroundRequestSchema,
    response: playground.playgroundResultSchema,
    counts: true,
  },
} as const satisfies Record<string, Operation>;
