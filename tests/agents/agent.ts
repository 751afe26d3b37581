import type { SimulatedProtocol } from "@midfold/testkit";

/** Everything a client needs to know to be started against one server. */
export interface LaunchOptions {
  /** Folder into which the clients were installed. */
  readonly installed: string;
  /** The client's home: configuration and state go here and nowhere else. */
  readonly home: string;
  readonly workspace: string;
  /** Root address of the server, without `/v1`. */
  readonly url: string;
  readonly protocol: SimulatedProtocol;
  /** The real window. */
  readonly window: number;
  /** Whether the client is told the real window or believes what it was shipped with. */
  readonly told: boolean;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A coding agent that can be run without a person in front of it. */
export interface Agent {
  readonly name: string;
  readonly packageName: string;
  /** Packages it does not bring along itself. */
  readonly alsoInstall?: readonly string[];
  /** What it speaks; the first is what it speaks to a gateway. */
  readonly protocols: readonly SimulatedProtocol[];
  /** A call of its shell tool that prints a file; undefined when the request offers no such tool. */
  readonly shellCall: (
    tools: readonly string[],
    command: string,
  ) => { readonly name: string; readonly input: unknown } | undefined;
  /** Prepares its home and says how to start it. */
  readonly launch: (options: LaunchOptions) => Launch;
}

export const task = "Work through the numbered notes one by one with your shell tool until all steps are done.";
