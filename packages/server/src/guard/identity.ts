/** Who a request is for. Everything remembered between requests is stored under `tenant`. */
export interface Identity {
  readonly tenant: string;
  /** The client key's id, where there is one: limits, logs and metrics use it, never the key. */
  readonly keyId: string | undefined;
  readonly keyName: string | undefined;
  /** May see every tenant's requests in the console. */
  readonly admin: boolean;
  readonly limits: KeyLimits;
  /** The key whose limits it shares, where a key made this one. */
  readonly limitedAs?: string | undefined;
  /** The provider credential the caller sent, for routes that pass it through. Never logged. */
  readonly providerKey: string | undefined;
  /** The hash to look the key up again while a stream is open. */
  readonly keyHash: string | undefined;
}

/** What one key may do. Undefined means no limit. */
export interface KeyLimits {
  readonly requestsPerMinute?: number | undefined;
  readonly tokensPerMinute?: number | undefined;
  readonly concurrentRequests?: number | undefined;
}

/** A client key as configured or stored: the key itself is never kept. */
export interface KnownKey {
  readonly id: string;
  readonly name: string;
  readonly tenant: string;
  readonly admin: boolean;
  readonly limits: KeyLimits;
  /** The key whose limits it shares, where a key made this one. */
  readonly limitedAs?: string | undefined;
}

/** Looks a key up by the SHA-256 of its text. */
export type FindKey = (hash: string) => KnownKey | undefined | Promise<KnownKey | undefined>;
