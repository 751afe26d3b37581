import type { ModelEntry, Protocol } from "@midfold/wire";
import type { Destination } from "./destination.ts";

/** All places requests can go to. */
export interface Destinations {
  /** Throws NOT_FOUND, saying what to configure, when no route takes the model. */
  find(model: string, inbound: Protocol): Destination;
  /** Where a request without a model goes: the first upstream that speaks the caller's protocol, else the first at all. */
  findAny(inbound: Protocol): Destination | undefined;
  /** Models a client may ask for, as far as they can be listed. */
  list(): Promise<readonly ModelEntry[]>;
  /** The routes as configured, for people. */
  describe(): readonly RouteView[];
  close(): Promise<void>;
}

export interface RouteView {
  readonly model: string;
  readonly upstream: string;
  readonly protocol: string;
  readonly preset: string;
  readonly window: number | null;
}
