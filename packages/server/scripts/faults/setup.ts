import { type Simulator, type SimulatorOptions, startSimulator } from "@midfold/testkit";
import { type GatewayUnderTest, type StartGatewayOptions, startGateway } from "../../src/testing/start-gateway.ts";

export interface Stage {
  readonly simulator: Simulator;
  readonly gateway: GatewayUnderTest;
}

/** A provider and a gateway before it, for the length of one check. */
export async function withStage<TResult>(
  options: {
    readonly upstream?: Partial<SimulatorOptions>;
    readonly route?: object;
    readonly server?: object;
    readonly deadlines?: object;
    readonly start?: StartGatewayOptions;
  },
  work: (stage: Stage) => Promise<TResult>,
): Promise<TResult> {
  const simulator = await startSimulator({ protocol: ["openai-chat", "openai-responses"], ...options.upstream });
  const anthropic = options.upstream?.protocol === "anthropic-messages";
  const { env, ...start } = options.start ?? {};
  const gateway = await startGateway({
    yaml: JSON.stringify({
      server: options.server ?? {},
      upstreams: {
        sim: {
          provider: anthropic ? "anthropic" : "generic",
          ...(anthropic ? {} : { protocol: options.upstream?.protocol ?? ["openai-chat", "openai-responses"] }),
          baseUrl: anthropic ? simulator.url : `${simulator.url}/v1`,
          apiKeyEnv: "SIM_KEY",
          deadlines: options.deadlines ?? {},
        },
      },
      routes: [{ model: "*", upstream: "sim", ...options.route }],
    }),
    env: { SIM_KEY: "sk-upstream-canary-7f3a", ...env },
    logLevel: "debug",
    ...start,
  });
  try {
    return await work({ simulator, gateway });
  } finally {
    await gateway.close();
    await simulator.close();
  }
}

/** A gateway with the demo model only. */
export async function withDemo<TResult>(
  options: StartGatewayOptions,
  work: (gateway: GatewayUnderTest) => Promise<TResult>,
): Promise<TResult> {
  // The demo answers to every name here.
  const gateway = await startGateway({ ...options, env: { MIDFOLD_MODEL: "midfold-demo", ...options.env } });
  try {
    return await work(gateway);
  } finally {
    await gateway.close();
  }
}

export const hello = { model: "gpt-4o", messages: [{ role: "user", content: "hi" }] };
export const chat = "/v1/chat/completions";
export const words = (count: number, seed = "") =>
  `${seed} ${"The quick brown fox jumps over the lazy dog. ".repeat(count)}`.trim();

export const posts = (simulator: Simulator) => simulator.requests.filter(({ method }) => method === "POST");
