import type { Store } from "@midfold/store";
import type { UpstreamClient } from "@midfold/wire";
import type { Logger } from "pino";
import type { ServerConfig } from "./config/config.ts";
import type { DemoDelay } from "./demo/send-to-demo.ts";
import type { KnownKey } from "./guard/identity.ts";

export interface ServerOptions {
  readonly config: ServerConfig;
  readonly logger: Logger;
  /** Only with a store do sessions, folds, limits and keys survive a restart. */
  readonly store?: Store;
  /** Client keys known without a store, by the SHA-256 of the key. */
  readonly keys?: ReadonlyMap<string, KnownKey>;
  /** Folder of the built web app. */
  readonly webFolder?: string;
  readonly version?: string;
  /** Also expose the process's own metrics. Once per process. */
  readonly processMetrics?: boolean;
  /** Pause between the pieces of the demo model's streamed answers, or what to wait for. */
  readonly demoDelayMs?: DemoDelay;
  /** After this much silence a waiting client is sent a ping. */
  readonly pingMs?: number;
  /** For tests: another way to reach upstreams, and other clocks. */
  readonly client?: UpstreamClient;
  readonly now?: () => number;
}

/** The result of reading the configuration again, by the names of its parts. */
export interface Reloaded {
  readonly reloaded: readonly string[];
  /** Changed too, but effective only after a restart. */
  readonly needsRestart: readonly string[];
}

/** A server that does not listen yet. */
export interface MidfoldServer {
  /** Answers a standard request in process, with every check that a socket request gets. */
  fetch(request: Request): Promise<Response>;
  /** Throws INVALID_CONFIG when the address is not loopback and no keys are required. */
  listen(address?: {
    readonly host?: string;
    readonly port?: number;
  }): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /** Takes routes, upstreams with their keys, folding, models and the log level from another configuration. */
  reload(config: ServerConfig): Reloaded;
  /**
   * For errors nobody caught: ends the request that caused it, logs and counts it. The process continues, since
   * otherwise anyone who can cause one could end everybody's requests.
   */
  handleStrayError(error: unknown): void;
  /** Counts a log line that was dropped. */
  lostLogLine(): void;
  /** Stops taking requests, lets running ones finish within the shutdown deadline, ends the rest. */
  close(): Promise<void>;
}
