import type { Store } from "@midfold/store";
import type { UpstreamClient } from "@midfold/wire";
import type { Logger } from "pino";
import type { ServerConfig } from "./config/config.ts";
import type { DemoDelay } from "./demo/send-to-demo.ts";
import type { KnownKey } from "./guard/identity.ts";

export interface ServerOptions {
  readonly config: ServerConfig;
  readonly logger: Logger;
  /** Sessions, folds, limits and keys outlive the process only with one. */
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
  /** Silence after which a waiting client gets a sign of life. */
  readonly pingMs?: number;
  /** For tests: another way to reach upstreams, and other clocks. */
  readonly client?: UpstreamClient;
  readonly now?: () => number;
}

/** What came of reading the configuration again, by the names of its parts. */
export interface Reloaded {
  readonly reloaded: readonly string[];
  /** These were changed too, but only count after a restart. */
  readonly needsRestart: readonly string[];
}

/** A server that is put together but does not listen yet. */
export interface MidfoldServer {
  /** Answers a standard request in process, through every check a socket would meet. */
  fetch(request: Request): Promise<Response>;
  /** Throws INVALID_CONFIG when the address is not loopback and no keys are required. */
  listen(address?: {
    readonly host?: string;
    readonly port?: number;
  }): Promise<{ readonly host: string; readonly port: number; readonly url: string }>;
  /** Takes routes, upstreams with their keys, folding, models and the log level from another configuration. */
  reload(config: ServerConfig): Reloaded;
  /**
   * For errors nobody caught: ends the request during which it came up, logs and counts it. The process goes on, since
   * whoever can provoke one could otherwise cut off everybody.
   */
  handleStrayError(error: unknown): void;
  /** Counts a log line that nobody took. */
  lostLogLine(): void;
  /** Stops taking requests, lets running ones finish within the shutdown deadline, ends the rest. */
  close(): Promise<void>;
}
