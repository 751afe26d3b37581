/** A client's key to the gateway. The key itself is never stored, only its SHA-256 hash. */
export interface ClientKey {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  /** The first characters of the key, to recognise it by. */
  readonly prefix: string;
  /** Those of the first key it descends from, so that a key cannot make one with more rights. */
  readonly limits: Readonly<Record<string, unknown>>;
  /** The keys it descends from, the first one first; empty when an administrator made it. */
  readonly ancestors: readonly string[];
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

export interface Keys {
  /** `secret` is shown once, here, and cannot be read again. */
  create(options: {
    readonly name: string;
    readonly limits?: Readonly<Record<string, unknown>>;
    /** The key that asks for it: the new one has the same limits and is revoked together with it. */
    readonly madeBy?: string;
  }): Promise<{ readonly key: ClientKey; readonly secret: string }>;
  list(): Promise<readonly ClientKey[]>;
  /** Revokes this key and every key it made. They stay listed; `authenticate` no longer finds them. */
  revoke(id: string): Promise<ClientKey>;
  /** Notes that the key was used, at most once a minute. */
  touch(id: string): Promise<void>;
}
