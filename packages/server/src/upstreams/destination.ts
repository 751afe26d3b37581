import type { ModelInfo, Preset } from "@midfold/core";
import type { Protocol, ProviderCount, UpstreamRequest, UpstreamResponse, UpstreamTraits } from "@midfold/wire";
import type { CompactSettings } from "../config/config.ts";

/** Where requests for one model go, and how they are handled. */
export interface Destination {
  /** Name of the upstream, for logs, learned limits and people. */
  readonly upstream: string;
  readonly protocol: Protocol;
  readonly traits: UpstreamTraits;
  /** The path of the protocol's main endpoint below the upstream's base URL. */
  readonly path: string;
  /** What the upstream calls the model. */
  readonly model: string;
  /** The built-in model, which needs no key. */
  readonly demo?: true;
  /** The model whose counting rules apply; usually the same. */
  readonly countAs: string;
  readonly info: ModelInfo;
  /** Whether the configuration sets the window. */
  readonly windowIsStated: boolean;
  readonly folding: boolean;
  readonly preset: Preset;
  /** Settings of model-written summaries; undefined where digests are used. */
  readonly compact: CompactSettings | undefined;
  /** Whether the caller's own credential is sent upstream instead of a configured one. */
  readonly passThrough: boolean;
  /** The provider's own token count, beside its protocols. */
  readonly counts?: ProviderCount | undefined;
  send(request: UpstreamRequest, callerKey: string | undefined): Promise<UpstreamResponse>;
  /** The window in the upstream's own model list, once that is known. */
  listedWindow(): number | undefined;
}
