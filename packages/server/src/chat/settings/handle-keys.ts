import { MidfoldError } from "@midfold/core";
import type { ClientKey as StoredKey } from "@midfold/store";
import type { ClientKey, KeyList } from "../../api/keys.ts";
import type { Call, Handler } from "../http/handler.ts";

export const listKeys: Handler<"listKeys"> = (call) => readKeys(call);

export const setProviderKey: Handler<"setProviderKey"> = async (call) => {
  await call.chat.models.setKey(call.body.provider, call.body.key);
  return readKeys(call);
};

/** A key may make others, which have no more rights than it and are revoked with it. */
export const createClientKey: Handler<"createClientKey"> = async ({ store, body, caller }) => {
  const made = caller.admin || caller.keyId === undefined ? {} : { madeBy: caller.keyId };
  const { key, secret } = await store.keys.create({ name: body.name, ...made });
  return { ...toApiKey(key), key: secret };
};

export const revokeClientKey: Handler<"revokeClientKey"> = async ({ store, params, caller }) => {
  const key = (await store.keys.list()).find(({ id }) => id === params.keyId);
  const own = key !== undefined && caller.keyId !== undefined && [key.id, ...key.ancestors].includes(caller.keyId);
  if (key !== undefined && !caller.admin && !own) {
    throw new MidfoldError("FORBIDDEN", "A key may revoke itself and keys it made. For others ask an administrator.");
  }
  await store.keys.revoke(params.keyId);
  return undefined;
};

async function readKeys({ chat, caller }: Pick<Call, "chat" | "caller">): Promise<KeyList> {
  return { providers: [...chat.models.keys(caller.admin)], clients: (await chat.store.keys.list()).map(toApiKey) };
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
