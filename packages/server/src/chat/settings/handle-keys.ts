import type { ClientKey as StoredKey } from "@midfold/store";
import type { ClientKey, KeyList } from "../../api/keys.ts";
import type { Call, Handler } from "../http/handler.ts";

export const listKeys: Handler<"listKeys"> = (call) => readKeys(call);

export const setProviderKey: Handler<"setProviderKey"> = async (call) => {
  call.chat.models.setKey(call.body.provider, call.body.key);
  return readKeys(call);
};

export const createClientKey: Handler<"createClientKey"> = async ({ store, body }) => {
  const { key, secret } = await store.keys.create({ name: body.name });
  return { ...toApiKey(key), key: secret };
};

export const revokeClientKey: Handler<"revokeClientKey"> = async ({ store, params }) => {
  await store.keys.revoke(params.keyId);
  return undefined;
};

async function readKeys({ chat, store }: Pick<Call, "chat" | "store">): Promise<KeyList> {
  return { providers: [...chat.models.keys()], clients: (await store.keys.list()).map(toApiKey) };
}

function toApiKey(key: StoredKey): ClientKey {
  const time = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString());
  return {
    id: key.id,
    name: key.name,
    hint: `${key.prefix}…`,
    createdAt: new Date(key.createdAt).toISOString(),
    lastUsedAt: time(key.lastUsedAt),
    revokedAt: time(key.revokedAt),
  };
}
