import { createLogger, createServer, loadConfig, type MidfoldServer } from "@midfold/server";
import { type SimulatedProtocol, type Simulator, type SimulatorOptions, startSimulator } from "@midfold/testkit";

export interface ThroughMidfold {
  readonly url: string;
  readonly simulator: Simulator;
  readonly server: MidfoldServer;
  close(): Promise<void>;
}

export const upstreams: readonly SimulatedProtocol[] = ["anthropic-messages", "openai-chat", "openai-responses"];

/** A simulated provider with Midfold before it, as a client meets them. */
export async function startThrough(
  upstream: SimulatorOptions,
  route: Readonly<Record<string, unknown>> = {},
): Promise<ThroughMidfold> {
  const simulator = await startSimulator(upstream);
  const anthropic = upstream.protocol === "anthropic-messages";
  const config = loadConfig(
    {
      file: "compat.yaml",
      text: JSON.stringify({
        upstreams: {
          sim: {
            provider: anthropic ? "anthropic" : "openai",
            protocol: upstream.protocol,
            baseUrl: anthropic ? simulator.url : `${simulator.url}/v1`,
            apiKeyEnv: "KEY",
          },
        },
        routes: [{ model: "*", upstream: "sim", ...route }],
      }),
    },
    { KEY: "sk-upstream" },
  );
  const server = createServer({ config, logger: createLogger({ level: "silent" }) });
  const { url } = await server.listen({ port: 0 });
  return {
    url,
    simulator,
    server,
    close: async () => {
      await server.close();
      await simulator.close();
    },
  };
}

export const words = "Grüße 🚀, 这是 a stream of words that spans several deltas.";

/** A one-pixel picture. */
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const parameters = {
  type: "object" as const,
  properties: { path: { type: "string" as const } },
  required: ["path"],
};
