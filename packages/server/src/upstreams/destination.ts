import type { ModelInfo, Preset } from "@midfold/core";
import type { Protocol, ProviderCount, UpstreamRequest, UpstreamResponse, UpstreamTraits } from "@midfold/wire";
import type { CompactSettings } from "../config/config.ts";

/** Where requests for one model go, and how they are treated on the way. */
export interface Destination {
  /** Name of the upstream, for logs, learned limits and people. */
  readonly upstream: string;
  readonly protocol: Protocol;
  readonly traits: UpstreamTraits;
  /** The path of the protocol's main endpoint below the upstream's base URL. */
  readonly path: string;
  /** What the upstream calls the model. */
  readonly model: string;
  /** The built-in model: it needs no key and understands nothing. */
  readonly demo?: true;
  /** The model whose counting rules apply; usually the same. */
  readonly countAs: string;
  readonly info: ModelInfo;
  /** The configuration states the window itself. */
  readonly windowIsStated: boolean;
  readonly folding: boolean;
  readonly preset: Preset;
  /** Model-written summaries, prepared in the background; undefined where digests do. */
  readonly compact: CompactSettings | undefined;
  /** The caller's own credential goes to the upstream instead of a configured one. */
  readonly passThrough: boolean;
  /** The provider's own token count, beside its protocols. */
  readonly counts?: ProviderCount | undefined;
  send(request: UpstreamRequest, callerKey: string | undefined): Promise<UpstreamResponse>;
  /** The window as the upstream's own model list states it, as soon as that is known. */
  listedWindow(): number | undefined;
}
