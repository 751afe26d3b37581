import { createHash } from "node:crypto";
import type { Store } from "@midfold/store";

/** A message by its index and hash: in a history that the client rewrote, none matches both. */
export interface MessageMark {
  readonly index: number;
  readonly digest: string;
}

/** What a person decided about one conversation of the gateway. */
export interface HandEdits {
  /** Sent folded even where it would fit. */
  readonly fold: boolean;
  readonly pinned: readonly MessageMark[];
  readonly leftOut: readonly MessageMark[];
}

export interface ByHand {
  /** Resolves when the stored edits of this tenant are in memory; undefined when they already are. */
  load(tenant: string): Promise<void> | undefined;
  of(tenant: string, conversation: string | undefined): HandEdits | undefined;
  change(tenant: string, conversation: string, edits: HandEdits): Promise<void>;
}

export interface ByHandOptions {
  readonly store: Store | undefined;
  readonly now: () => number;
  /** Called when the store cannot be read; requests continue with what is in memory. */
  readonly onStoreError: (error: unknown) => void;
}

export const noEdits: HandEdits = { fold: false, pinned: [], leftOut: [] };

const isNothing = ({ fold, pinned, leftOut }: HandEdits) => !fold && pinned.length === 0 && leftOut.length === 0;

export const markOf = (message: unknown, index: number): MessageMark => ({
  index,
  digest: createHash("sha256").update(JSON.stringify(message)).digest("hex").slice(0, 16),
});

/** The indices of marked messages that have not changed since they were marked. */
export function findMarked(messages: readonly unknown[], marks: readonly MessageMark[]): ReadonlySet<number> {
  const found = marks.filter(
    ({ index, digest }) => index < messages.length && markOf(messages[index], index).digest === digest,
  );
  return new Set(found.map(({ index }) => index));
}

/** Other replicas may have changed something; reading it for every request would be too slow. */
const rereadMs = 10_000;
const maxTenants = 10_000;
/** Stored as settings of a provider name that no provider has, so that they never mix with the chat's. */
const scopePrefix = "gateway-conversation/";
const key = "byHand";

interface Memory {
  edits: Map<string, HandEdits>;
  readAt: number;
  first: Promise<void> | undefined;
}

export function createByHand({ store, now, onStoreError }: ByHandOptions): ByHand {
  const tenants = new Map<string, Memory>();
  const read = async (memory: Memory, from: Store, tenant: string, unhurried: boolean): Promise<void> => {
    memory.readAt = now();
    try {
      const rows = await from.of(tenant).settings.list({ unhurried });
      memory.edits = new Map(
        rows.flatMap(({ scope, key: name, value }) =>
          scope.kind === "provider" && scope.provider.startsWith(scopePrefix) && name === key
            ? [[scope.provider.slice(scopePrefix.length), value as HandEdits] as const]
            : [],
        ),
      );
    } catch (error) {
      onStoreError(error);
    }
  };
  const memoryOf = (tenant: string): Memory => {
    const known = tenants.get(tenant);
    if (known !== undefined) {
      if (store !== undefined && now() - known.readAt > rereadMs) void read(known, store, tenant, true);
      return known;
    }
    if (tenants.size >= maxTenants) tenants.clear();
    const memory: Memory = { edits: new Map(), readAt: now(), first: undefined };
    if (store !== undefined) {
      memory.first = read(memory, store, tenant, false).then(() => {
        memory.first = undefined;
      });
    }
    tenants.set(tenant, memory);
    return memory;
  };
  return {
    load: (tenant) => memoryOf(tenant).first,
    of: (tenant, conversation) => (conversation === undefined ? undefined : memoryOf(tenant).edits.get(conversation)),
    async change(tenant, conversation, edits) {
      const memory = memoryOf(tenant);
      await memory.first;
      const value = isNothing(edits) ? undefined : edits;
      await store
        ?.of(tenant)
        .settings.set({ kind: "provider", provider: `${scopePrefix}${conversation}` }, { [key]: value });
      if (value === undefined) memory.edits.delete(conversation);
      else memory.edits.set(conversation, value);
    },
  };
}
