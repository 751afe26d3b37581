import type { ReadOptions } from "../sql/database.ts";

/** A model provider that an owner has entered: where it is, and the key to it. */
export interface Provider {
  /** Chosen by the owner, unique among theirs. */
  readonly name: string;
  /** What kind of server it is, such as `openai` or `ollama`. */
  readonly kind: string;
  /** Undefined means the usual address of its kind. */
  readonly baseUrl: string | undefined;
  /** The end of the key, to recognise it by; undefined when it has none. */
  readonly keyHint: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface OpenProvider extends Provider {
  readonly key: string | undefined;
  /** True when the key was encrypted with a secret this server does not have, so that it must be entered again. */
  readonly keyLost: boolean;
}

export interface ProviderDraft {
  readonly name: string;
  readonly kind: string;
  readonly baseUrl?: string | undefined;
  /** Absent keeps the stored key, null deletes it. */
  readonly key?: string | null | undefined;
}

/** One owner's providers. Keys are stored encrypted, with a secret that is not in the database. */
export interface Providers {
  list(): Promise<readonly Provider[]>;
  /** Makes it or changes it. Throws INVALID_CONFIG for a key when there is no secret to encrypt it with. */
  put(draft: ProviderDraft): Promise<Provider>;
  /** Throws NOT_FOUND. */
  remove(name: string): Promise<void>;
  /** Every provider with its key in clear, to send requests with. The result is never shown and never logged. */
  open(options?: ReadOptions): Promise<readonly OpenProvider[]>;
}
