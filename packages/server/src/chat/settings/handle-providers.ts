import { isMidfoldError, MidfoldError } from "@midfold/core";
import type { Provider as StoredProvider } from "@midfold/store";
import type { Provider, ProviderList } from "../../api/providers.ts";
import { providerKinds } from "../../config/config-schema.ts";
import { providerDefaults } from "../../config/provider-defaults.ts";
import type { Call, Handler } from "../http/handler.ts";

/** One person does not need more, and each has its own connections. */
const mostProviders = 20;

export const listProviders: Handler<"listProviders"> = (call) => readProviders(call);

export const putProvider: Handler<"putProvider"> = async (call) => {
  const { chat, params, body, caller } = call;
  const provider = { name: params.name, kind: body.kind, baseUrl: body.baseUrl ?? undefined };
  chat.models.assertProvider(provider, caller.admin);
  const others = (await chat.store.providers.list()).filter(({ name }) => name !== provider.name);
  if (others.length >= mostProviders) {
    throw new MidfoldError("VALIDATION_ERROR", `There can be ${mostProviders} providers. Remove one first.`);
  }
  await chat.store.providers.put({ ...provider, key: body.key });
  await chat.models.reread();
  return readProviders(call);
};

export const testProvider: Handler<"testProvider"> = async ({ chat, body, caller }) => {
  const stored = (await chat.store.providers.open()).find(({ name }) => name === body.name);
  const key = body.key ?? (body.key === null ? undefined : stored?.key);
  // Tested under another name, since the real one may be taken or not chosen yet.
  const provider = { name: "being-tested", kind: body.kind, baseUrl: body.baseUrl ?? undefined };
  chat.models.assertProvider(provider, caller.admin);
  const models = await chat.models.testProvider({ ...provider, key }).catch((error: unknown) => {
    if (!isMidfoldError(error, "UPSTREAM_UNREACHABLE")) throw error;
    const address = provider.baseUrl ?? providerDefaults[provider.kind].baseUrl;
    const why = /\(([^()]*)\)\.$/.exec(error.message)?.[1];
    throw new MidfoldError(
      "UPSTREAM_UNREACHABLE",
      `Nothing answers at ${address}${why === undefined ? "" : ` (${why})`}. Is the server running, and is the address right?`,
      { cause: error },
    );
  });
  return { models: models.map(({ id, contextWindow }) => ({ id, window: contextWindow ?? null })) };
};

export const removeProvider: Handler<"removeProvider"> = async (call) => {
  await call.store.providers.remove(call.params.name);
  await call.chat.models.reread();
  return undefined;
};

async function readProviders({ store }: Pick<Call, "store">): Promise<ProviderList> {
  return {
    providers: (await store.providers.list()).map(toApiProvider),
    kinds: providerKinds.flatMap((kind) =>
      kind === "demo" ? [] : [{ kind, baseUrl: providerDefaults[kind].baseUrl ?? null }],
    ),
  };
}

function toApiProvider(provider: StoredProvider): Provider {
  return {
    name: provider.name,
    kind: provider.kind as Provider["kind"],
    baseUrl: provider.baseUrl ?? null,
    hint: provider.keyHint ?? null,
    createdAt: new Date(provider.createdAt).toISOString(),
    updatedAt: new Date(provider.updatedAt).toISOString(),
  };
}
