/** A client's key to the gateway. The key itself is never stored, only its SHA-256 hash. */
export interface ClientKey {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  /** The first characters of the key, to recognise it by. */
  readonly prefix: string;
  readonly limits: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
  readonly revokedAt: number | undefined;
  readonly lastUsedAt: number | undefined;
}

export interface Keys {
  /** `secret` is shown once, here, and cannot be read again. */
  create(options: {
    readonly name: string;
    readonly limits?: Readonly<Record<string, unknown>>;
  }): Promise<{ readonly key: ClientKey; readonly secret: string }>;
  list(): Promise<readonly ClientKey[]>;
  update(
    id: string,
    patch: { readonly name?: string; readonly limits?: Readonly<Record<string, unknown>> },
  ): Promise<ClientKey>;
  /** Stays listed; `authenticate` no longer finds it. */
  revoke(id: string): Promise<ClientKey>;
  /** Notes that the key was used, at most once a minute. */
  touch(id: string): Promise<void>;
}
