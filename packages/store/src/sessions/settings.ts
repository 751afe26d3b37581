import type { ReadOptions } from "../sql/database.ts";

/** Where a value is set. The later in this list wins: global, provider, model, session. */
export type SettingScope =
  | { readonly kind: "global" }
  | { readonly kind: "provider"; readonly provider: string }
  | { readonly kind: "model"; readonly provider: string; readonly model: string }
  | { readonly kind: "session"; readonly sessionId: string };

export type SettingSource = "default" | SettingScope["kind"];

export interface ResolvedSetting {
  readonly value: unknown;
  readonly source: SettingSource;
  /** What the value would be without the winning scope, for a "reset to …" button. */
  readonly inherited: unknown;
}

/** What settings are resolved for; leave out what does not apply. */
export interface SettingTarget {
  readonly provider?: string;
  readonly model?: string;
  readonly sessionId?: string;
}

export interface Settings {
  /** Every default and every stored key that applies to the target, each with the scope it comes from. */
  resolve(
    target: SettingTarget,
    defaults?: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, ResolvedSetting>>>;
  get(scope: SettingScope): Promise<Readonly<Record<string, unknown>>>;
  /** Sets several keys at once; `undefined` removes a key, so that it is inherited again. */
  set(scope: SettingScope, values: Readonly<Record<string, unknown>>): Promise<void>;
  /** Every scope that holds a value. */
  list(
    options?: ReadOptions,
  ): Promise<readonly { readonly scope: SettingScope; readonly key: string; readonly value: unknown }[]>;
}
